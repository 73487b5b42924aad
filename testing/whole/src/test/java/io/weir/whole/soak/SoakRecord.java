package io.weir.whole.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** The pieces of the soak that have passed, as lines of a CSV file, and the table of their sums. Immutable. */
final class SoakRecord {
  /** Pieces below this length do not judge growth: their halves say nothing. */
  private static final int LEAST_MINUTES_OF_GROWTH = 19;

  private final List<Map<String, String>> pieces;

  private SoakRecord(List<Map<String, String>> pieces) {
    this.pieces = pieces;
  }

  /** Adds a piece. */
  static void add(Path file, Map<String, Object> piece) throws IOException {
    String names = String.join(",", piece.keySet());
    if (!Files.exists(file) || Files.size(file) == 0) {
      Files.writeString(file, names + "\n");
    }
    String head = Files.readAllLines(file).get(0);
    if (!head.equals(names)) {
      throw new IllegalStateException("%s has other columns: %s".formatted(file, head));
    }
    String line = piece.values().stream().map(String::valueOf).collect(Collectors.joining(","));
    Files.writeString(file, line + "\n", StandardOpenOption.APPEND);
  }

  static SoakRecord read(Path file) throws IOException {
    List<String> lines = Files.readAllLines(file);
    List<String> names = List.of(lines.get(0).split(","));
    return new SoakRecord(lines.stream()
        .skip(1)
        .map(line -> piece(names, List.of(line.split(","))))
        .toList());
  }

  private static Map<String, String> piece(List<String> names, List<String> values) {
    Map<String, String> piece = new LinkedHashMap<>();
    for (int i = 0; i < names.size(); i++) {
      piece.put(names.get(i), values.get(i));
    }
    return piece;
  }

  /** The sums of all pieces, and their worst figures, in Markdown. */
  String table() {
    StringBuilder table = new StringBuilder("\n| | All pieces |\n|---|---|\n");
    long builds = pieces.stream().map(piece -> piece.get("commit")).distinct().count();
    row(table, "time", "%,d of 1,440 minutes".formatted(sum("minutes")));
    row(table, "pieces, and builds that they tried", "%d; %d".formatted(pieces.size(), builds));
    row(table, "requests", sums("requests"));
    row(table, "without an answer, to killed nodes", sums("unanswered"));
    row(
        table,
        "503 or 504, and of these, while no fault was made",
        sums("503 or 504", "503 or 504 without a fault"));
    row(
        table,
        "nodes killed, Redis paused, Redis restarted",
        sums("node killed", "redis paused", "redis restarted"));
    row(table, "upgrades or downgrades of two nodes", sums("upgrades"));
    row(table, "jobs done, and executed again", sums("jobs", "jobs executed again"));
    row(table, "ranges committed, in order", sums("ranges"));
    row(table, "operations above a rate, at most", most("operations above a rate"));
    row(table, "most requests at once, with 3 permits", most("held of 3"));
    row(table, "most used of the quota of 60 per minute", most("used of 60"));
    table.append(
        "\n| Held, pieces of 19 minutes and more | First halves | Second halves | Most growth |\n");
    table.append("|---|---|---|---|\n");
    for (SoakSamples.Quantity quantity : SoakSamples.Quantity.values()) {
      addHalves(table, quantity.title());
    }
    return table.append('\n').toString();
  }

  private static void row(StringBuilder table, String name, String value) {
    table.append("| ").append(name).append(" | ").append(value).append(" |\n");
  }

  private long sum(String name) {
    return pieces.stream().mapToLong(piece -> Long.parseLong(piece.get(name))).sum();
  }

  private String sums(String... names) {
    return Arrays.stream(names)
        .map(name -> "%,d".formatted(sum(name)))
        .collect(Collectors.joining("; "));
  }

  private String most(String name) {
    return Long.toString(pieces.stream()
        .mapToLong(piece -> Long.parseLong(piece.get(name)))
        .max()
        .orElse(0));
  }

  private void addHalves(StringBuilder table, String name) {
    long[] first = halves(name, 1);
    long[] second = halves(name, 2);
    if (first.length > 0) {
      long growth = IntStream.range(0, first.length)
          .mapToLong(i -> Math.round(100.0 * (second[i] - first[i]) / first[i]))
          .max()
          .orElse(0);
      row(table, name, "%s | %s | %+d %%".formatted(range(first), range(second), growth));
    }
  }

  private long[] halves(String name, int half) {
    return pieces.stream()
        .filter(piece -> Integer.parseInt(piece.get("minutes")) >= LEAST_MINUTES_OF_GROWTH)
        .mapToLong(piece -> Long.parseLong(piece.get(name + " " + half)))
        .toArray();
  }

  private static String range(long[] values) {
    LongSummaryStatistics all = LongStream.of(values).summaryStatistics();
    return all.getMin() == all.getMax()
        ? "%,d".formatted(all.getMin())
        : "%,d to %,d".formatted(all.getMin(), all.getMax());
  }
}
