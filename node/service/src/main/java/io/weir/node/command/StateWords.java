package io.weir.node.command;

import io.weir.state.inspect.QueueWords;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Prints the state of a key, a tenant or the cluster in the words of {@code weir explain}, instead of its fields: how much
 * of each limit is used, when it is free again, and what is reserved for callers that wait.
 *
 * @param now of this machine, for times from now
 */
record StateWords(Instant now, PrintWriter out) {
  private static final Pattern BUCKET = Pattern.compile("([^@\\s]+)@\\d+(/\\d+)?");
  private static final Pattern USED = Pattern.compile("(.*?), (?:empty at|until) (\\S+Z)");
  private static final Pattern OF_QUEUE =
      Pattern.compile("due_at_\\d+|\\S+\\.(due|turn|own_turn|larger)");
  /** They say nothing of a limit. */
  private static final Pattern OF_STATE =
      Pattern.compile("revision|expires_ms|tickets|\\S+\\.(debt|low|served)");

  /** A leased bucket has this field, and the other states have not. */
  private static final String TIME_OF_POOL = "now_us";

  private static final String USED_OF_POOL = "used";
  private static final String HELD = ".held";

  /**
   * Prints a state.
   *
   * @param title of whom
   * @param state its name in Redis
   */
  void print(String title, String state, Map<String, String> fields) {
    Map<String, String> rows = new LinkedHashMap<>();
    if (fields.containsKey(TIME_OF_POOL)) {
      String used = fields.getOrDefault(USED_OF_POOL, "0");
      rows.put(state.substring(state.lastIndexOf(':') + 1), used(FieldText.meaning(used)));
    } else {
      fields.forEach((name, value) -> putRow(rows, name, value));
    }
    out.println(Wrapped.lines(title));
    Rows.print(rows, out);
    fields.forEach((name, value) -> {
      String line = "%s %s %s".formatted(state, name, value);
      if (OF_QUEUE.matcher(name).matches() && !QueueWords.isOver(line, now)) {
        out.println(Wrapped.lines(Ago.sentence(QueueWords.of(line), now)));
      }
    });
  }

  private void putRow(Map<String, String> rows, String name, String value) {
    if (name.equals("at_us")) {
      rows.put("last decision", Ago.since(FieldText.meaning(value), now) + " ago");
    } else if (name.endsWith(HELD)) {
      rows.put(
          name.substring(0, name.length() - HELD.length()),
          FieldText.meaning(value) + " under way");
    } else if (!OF_STATE.matcher(name).matches() && !OF_QUEUE.matcher(name).matches()) {
      Matcher bucket = BUCKET.matcher(name);
      rows.put(bucket.matches() ? bucket.group(1) : name, used(FieldText.meaning(value)));
    }
  }

  // A rate drains since the last decision, and a quota begins anew.
  private String used(String meaning) {
    Matcher used = USED.matcher(meaning);
    if (!used.matches()) {
      return meaning;
    }
    return Instant.parse(used.group(2)).isAfter(now)
        ? "%s, all free %s".formatted(used.group(1), Ago.words(used.group(2), now))
        : "all free";
  }
}
