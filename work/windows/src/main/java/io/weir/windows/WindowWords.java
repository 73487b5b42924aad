package io.weir.windows;

import io.weir.node.command.Ago;
import io.weir.node.command.FieldText;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The fields of a window in Redis, in the words of {@code weir work}. */
final class WindowWords {
  private WindowWords() {}

  static Map<String, String> of(Map<String, String> fields, Instant now) {
    Map<String, String> words = new LinkedHashMap<>();
    fields.forEach((name, value) -> {
      switch (name) {
        case "watermark" -> words.put("done up to", value);
        case "next" -> words.put("next number", value);
        case "failed" -> words.put("failed", value);
        case "committed_us" ->
          words.put("last done", Ago.words(FieldText.instant(value).orElse(""), now));
        case "gap_us" ->
          words.put(
              "time between two ranges",
              Ago.precisely(TimeUnit.MICROSECONDS.toMillis(FieldText.number(value))));
        case "todo" -> words.put("to be claimed", count(value));
        case "times" -> words.put("claimed, or to be tried again", count(value));
        default -> {} // nothing that a person needs
      }
    });
    return words;
  }

  private static String count(String value) {
    return Long.toString(FieldText.number(value));
  }
}
