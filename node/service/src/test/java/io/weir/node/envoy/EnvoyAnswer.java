package io.weir.node.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** An answer, read by the numbers of its fields. */
record EnvoyAnswer(
    boolean isOver,
    List<Map<String, Long>> statuses,
    Map<String, String> headers,
    Map<String, List<String>> metadata) {
  private static final int OVER = 2;

  static EnvoyAnswer of(Buffer bytes) {
    MessageReader reader = MessageReader.of(bytes);
    boolean isOver = false;
    List<Map<String, Long>> statuses = new ArrayList<>();
    Map<String, String> headers = new HashMap<>();
    Map<String, List<String>> metadata = new HashMap<>();
    while (reader.hasNext()) {
      switch (reader.field()) {
        case 1 -> isOver = reader.number() == OVER;
        case 2 -> statuses.add(status(reader.message()));
        case 3 -> {
          MessageReader header = reader.message();
          headers.put(text(header, 1), text(header, 2));
        }
        case 6 -> {
          MessageReader struct = reader.message();
          while (struct.hasNext()) {
            assertThat(struct.field()).isEqualTo(1);
            MessageReader field = struct.message();
            metadata.put(text(field, 1), texts(inner(inner(field, 2), 6)));
          }
        }
        default -> throw new AssertionError("another field");
      }
    }
    return new EnvoyAnswer(isOver, statuses, headers, metadata);
  }

  /** The names of the limits that had no room. */
  List<String> full() {
    return metadata.getOrDefault("full", List.of());
  }

  private static List<String> texts(MessageReader list) {
    List<String> texts = new ArrayList<>();
    while (list.hasNext()) {
      texts.add(text(inner(list, 1), 3));
    }
    return texts;
  }

  Map<String, Long> status(int index) {
    return statuses.get(index);
  }

  private static Map<String, Long> status(MessageReader reader) {
    Map<String, Long> status = new HashMap<>(Map.of("remaining", 0L));
    while (reader.hasNext()) {
      switch (reader.field()) {
        case 1 -> status.put("code", reader.number());
        case 2 -> {
          MessageReader limit = reader.message();
          while (limit.hasNext()) {
            switch (limit.field()) {
              case 1 -> status.put("requests", limit.number());
              case 2 -> status.put("unit", limit.number());
              default -> limit.skip();
            }
          }
        }
        case 3 -> status.put("remaining", reader.number());
        case 4 -> {
          MessageReader duration = reader.message();
          while (duration.hasNext()) {
            if (duration.field() == 1) {
              status.put("seconds", duration.number());
            } else {
              duration.skip();
            }
          }
        }
        default -> throw new AssertionError("another field");
      }
    }
    return status;
  }

  private static String text(MessageReader reader, int field) {
    assertThat(reader.field()).isEqualTo(field);
    return reader.text(1000, "text");
  }

  private static MessageReader inner(MessageReader reader, int field) {
    assertThat(reader.field()).isEqualTo(field);
    return reader.message();
  }
}
