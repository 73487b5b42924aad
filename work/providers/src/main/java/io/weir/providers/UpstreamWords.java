package io.weir.providers;

import io.weir.node.command.Ago;
import io.weir.node.command.FieldText;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The fields of an upstream in Redis, in the words of {@code weir work}. */
final class UpstreamWords {
  private static final Pattern LOADED = Pattern.compile("loaded:(.+)");
  private static final Pattern SLOT = Pattern.compile("slot:(.+)");

  /**
   * The words for a kind of field.
   *
   * @param name of the row
   * @param value of the row, with {@code %s} for the number or the time from now
   * @param isAhead whether it is left out once its instant has passed
   */
  private record Row(Pattern field, String name, String value, boolean isAhead) {
    static Row of(String field, String name, String value, boolean isAhead) {
      return new Row(Pattern.compile(field), name, value, isAhead);
    }
  }

  private static final List<Row> ROWS = List.of(
      Row.of("inflight", "requests under way", "%s", false),
      Row.of("limit", "requests under way at most", "%s", false),
      Row.of("busy:(.+)", "$1", "%s under way", false),
      Row.of("open:(.+)", "$1, left alone after failures", "tried again %s", true),
      Row.of("probe:(.+)", "$1, tried with one request", "another one %s", true),
      Row.of("cool:([^/]+)", "$1, asked to be left alone", "used again %s", true),
      Row.of("cool:([^/]+)/([^/]+)", "key $2 of $1, left alone", "used again %s", true),
      Row.of("cool:([^/]+)/([^/]+)/(.+)", "key $2 of $1, left alone for $3", "used again %s", true),
      Row.of("slot:([^/]+)/(.+)", "key $2 of $1", "may be used %s", false));

  private UpstreamWords() {}

  static Map<String, String> of(Map<String, String> fields, Instant now) {
    Map<String, String> words = new LinkedHashMap<>();
    for (Row row : ROWS) {
      fields.forEach((name, value) -> {
        Matcher field = row.field().matcher(name);
        Optional<String> instant = FieldText.instant(value);
        boolean isOver = instant.isPresent() && !Instant.parse(instant.get()).isAfter(now);
        if (field.matches() && !(row.isAhead() && isOver) && !rests(name, fields, now)) {
          String text = instant
              .map(at -> Ago.ahead(at, now))
              .orElseGet(() -> Long.toString(FieldText.number(value)));
          words.put(field.replaceFirst(row.name()), row.value().formatted(text));
        }
      });
    }
    fields.forEach((name, value) -> putLoad(words, name, value, fields, now));
    return words;
  }

  // A key that is left alone may not be used, whatever its own rate says.
  private static boolean rests(String name, Map<String, String> fields, Instant now) {
    Matcher slot = SLOT.matcher(name);
    return slot.matches()
        && FieldText.instant(fields.getOrDefault("cool:" + slot.group(1), ""))
            .filter(until -> Instant.parse(until).isAfter(now))
            .isPresent();
  }

  // A load that a provider reports counts until the instant beside it.
  private static void putLoad(
      Map<String, String> words,
      String name,
      String value,
      Map<String, String> fields,
      Instant now) {
    Matcher loaded = LOADED.matcher(name);
    boolean isAhead =
        FieldText.instant(value).filter(at -> Instant.parse(at).isAfter(now)).isPresent();
    if (loaded.matches() && isAhead) {
      long thousandths = FieldText.number(fields.getOrDefault("load:" + loaded.group(1), "0"));
      words.put(loaded.group(1) + ", load that it reports", thousandths / 10 + " %");
    }
  }
}
