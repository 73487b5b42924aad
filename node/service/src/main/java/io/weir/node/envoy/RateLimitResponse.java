package io.weir.node.envoy;

import io.vertx.core.buffer.Buffer;
import io.weir.node.envoy.rule.UnitLimit;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An answer to Envoy: {@code envoy.service.ratelimit.v3.RateLimitResponse}.
 *
 * @param statuses one for each descriptor, in their order
 * @param headers of the answer to the caller
 * @param metadata lists of names of limits, by the name of the list; empty ones are left out
 */
record RateLimitResponse(
    boolean isOver,
    List<Status> statuses,
    Map<String, String> headers,
    Map<String, List<String>> metadata) {
  private static final int OK = 1;
  private static final int OVER_LIMIT = 2;
  private static final long MOST_REMAINING = 0xFFFF_FFFFL;
  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final long NANOS_PER_MICRO = 1000;

  /** The fields of a value of {@code google.protobuf.Struct}. */
  private static final int TEXT_VALUE = 3;

  private static final int LIST_VALUE = 6;

  /**
   * The answer to one descriptor.
   *
   * @param limit by which it is limited
   * @param remaining how many hits it has left
   * @param micros until the caller may come back, or the limit is unused again; 0 for none
   */
  record Status(boolean isOver, Optional<NamedLimit> limit, long remaining, long micros) {
    /** The status of a descriptor without a limit. */
    static final Status NONE = new Status(false, Optional.empty(), 0, 0);

    /** A denial without a limit. */
    static final Status REFUSED = new Status(true, Optional.empty(), 0, 0);

    private MessageWriter message() {
      MessageWriter message = new MessageWriter().add(1, isOver ? OVER_LIMIT : OK);
      limit.ifPresent(named -> message.add(2, named.message()));
      message.add(3, Math.min(MOST_REMAINING, remaining));
      if (micros > 0) {
        message.add(
            4,
            new MessageWriter()
                .add(1, micros / MICROS_PER_SECOND)
                .add(2, micros % MICROS_PER_SECOND * NANOS_PER_MICRO));
      }
      return message;
    }
  }

  /** A limit and its name. */
  record NamedLimit(String name, UnitLimit limit) {
    private MessageWriter message() {
      return new MessageWriter()
          .add(1, limit.requests())
          .add(2, limit.unit().number())
          .add(3, name);
    }
  }

  Buffer bytes() {
    MessageWriter message = new MessageWriter().add(1, isOver ? OVER_LIMIT : OK);
    statuses.forEach(status -> message.add(2, status.message()));
    headers.forEach(
        (name, value) -> message.add(3, new MessageWriter().add(1, name).add(2, value)));
    MessageWriter struct = new MessageWriter();
    metadata.forEach((name, texts) -> {
      if (!texts.isEmpty()) {
        struct.add(1, new MessageWriter().add(1, name).add(2, list(texts)));
      }
    });
    if (metadata.values().stream().anyMatch(texts -> !texts.isEmpty())) {
      message.add(6, struct);
    }
    return message.bytes();
  }

  private static MessageWriter list(List<String> texts) {
    MessageWriter list = new MessageWriter();
    texts.forEach(text -> list.add(1, new MessageWriter().add(TEXT_VALUE, text)));
    return new MessageWriter().add(LIST_VALUE, list);
  }
}
