package io.weir.operators.replay;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.Plan;
import io.weir.node.command.CountWords;
import io.weir.node.command.Table;
import io.weir.node.command.Wrapped;
import io.weir.operators.replay.Timeline.Span;
import io.weir.operators.top.Best;
import io.weir.operators.top.Best.Row;
import io.weir.operators.top.LimitName;
import io.weir.operators.top.Tops;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** The result of a replay: as tables with a chart, or as JSON. */
final class ReplayReport {
  private static final int BAR = 32;
  private static final int REASONS = 3;

  private final Replay replay;
  private final int most;

  /** @param most rows of each table */
  ReplayReport(Replay replay, int most) {
    this.replay = replay;
    this.most = most;
  }

  void print(PrintWriter out) {
    StringBuilder read = new StringBuilder(
        "%,d %s".formatted(replay.lines(), CountWords.things(replay.lines(), "line")));
    if (replay.strange().lines() > 0) {
      read.append(", %,d of another form".formatted(replay.strange().lines()));
    }
    if (replay.late() > 0) {
      read.append(", %,d more than %d s older than a line before them (judged with the line before)"
          .formatted(replay.late(), TimeUnit.MICROSECONDS.toSeconds(Ordered.WINDOW_MICROS)));
    }
    printLine(read.toString(), out);
    replay.strange().top(REASONS).forEach(group -> printLine("  " + group, out));
    replay.outcomes().forEach(outcome -> print(outcome, out));
    if (replay.outcomes().size() == 2) {
      for (int i = 0; i < 2; i++) {
        String one = replay.outcomes().get(i).name();
        String other = replay.outcomes().get(1 - i).name();
        Tops tops = replay.onlyBy(i).tops(most);
        out.println();
        printLine("%s refuses and %s admits: %,d".formatted(one, other, tops.total()), out);
        printTops(tops, out);
      }
    }
    out.flush();
  }

  private static void printLine(String text, PrintWriter out) {
    out.println(Wrapped.lines(text));
  }

  private void print(Outcome outcome, PrintWriter out) {
    StringBuilder found = new StringBuilder("%s: %,d admitted, %,d denied, %,d blocked"
        .formatted(outcome.name(), outcome.admitted(), outcome.denied(), outcome.never()));
    if (outcome.unknown() > 0) {
      found.append(", %,d by callers that it does not know (--plan gives them one)"
          .formatted(outcome.unknown()));
    }
    if (outcome.skipped() > 0) {
      found.append(", %,d not judged because they take permits".formatted(outcome.skipped()));
    }
    out.println();
    printLine(found.toString(), out);
    printTops(outcome.refused().tops(most), out);
    printChart(outcome.timeline(), out);
  }

  private static void printTops(Tops tops, PrintWriter out) {
    if (tops.total() > 0) {
      printBest(
          Table.<Row>of()
              .text("limit", row -> LimitName.parse(row.name()).limit())
              .text("operation", row -> operation(LimitName.parse(row.name())))
              .text("plan", row -> LimitName.parse(row.name()).plan()),
          tops.limits(),
          out);
      printBest(Table.<Row>of().text("caller", Row::name), tops.keys(), out);
    }
  }

  private static String operation(LimitName name) {
    return name.operation().equals(Plan.UNLISTED) ? "no operation of the policy" : name.operation();
  }

  private static void printBest(Table<Row> names, Best best, PrintWriter out) {
    names.number("at least", Row::atLeast).number("at most", Row::atMost).print(best.rows(), out);
  }

  private static void printChart(Timeline timeline, PrintWriter out) {
    List<Span> spans = timeline.spans();
    long highest =
        spans.stream().mapToLong(span -> span.admitted() + span.refused()).max().orElse(0);
    if (highest == 0) {
      return;
    }
    out.printf(
        "  each line %s; █ refused, ░ admitted%n",
        Duration.of(timeline.widthMicros(), ChronoUnit.MICROS)
            .toString()
            .substring(2)
            .toLowerCase(Locale.ROOT));
    for (Span span : spans) {
      int refused = bar(span.refused(), highest);
      out.printf(
          "  %s  %10d %10d  %s%s%n",
          Instant.ofEpochSecond(TimeUnit.MICROSECONDS.toSeconds(span.atMicros())),
          span.admitted(),
          span.refused(),
          "█".repeat(refused),
          "░".repeat(Math.max(0, bar(span.admitted() + span.refused(), highest) - refused)));
    }
  }

  private static int bar(long count, long highest) {
    return (int) Math.ceil((double) BAR * count / highest);
  }

  JsonObject toJson() {
    JsonArray reasons = new JsonArray();
    replay
        .strange()
        .top(REASONS)
        .forEach(group -> reasons.add(new JsonObject()
            .put("reason", group.reason())
            .put("lines", group.lines())
            .put("first", group.first())));
    JsonObject json = new JsonObject()
        .put("lines", replay.lines())
        .put("unread", replay.strange().lines())
        .put("unreadReasons", reasons)
        .put("late", replay.late());
    JsonArray policies = new JsonArray();
    for (int i = 0; i < replay.outcomes().size(); i++) {
      Outcome outcome = replay.outcomes().get(i);
      JsonObject one = new JsonObject()
          .put("policy", outcome.name())
          .put("admitted", outcome.admitted())
          .put("denied", outcome.denied())
          .put("neverAllowed", outcome.never())
          .put("unknown", outcome.unknown())
          .put("skipped", outcome.skipped())
          .put("refused", json(outcome.refused().tops(most)))
          .put("spans", spans(outcome.timeline()));
      if (replay.outcomes().size() == 2) {
        one.put("onlyHere", json(replay.onlyBy(i).tops(most)));
      }
      policies.add(one);
    }
    return json.put("policies", policies);
  }

  private static JsonObject json(Tops tops) {
    JsonArray limits = new JsonArray();
    tops.limits().rows().forEach(row -> {
      LimitName name = LimitName.parse(row.name());
      limits.add(new JsonObject()
          .put("plan", name.plan())
          .put("operation", name.operation())
          .put("limit", name.limit())
          .put("atLeast", row.atLeast())
          .put("atMost", row.atMost()));
    });
    JsonArray callers = new JsonArray();
    tops.keys()
        .rows()
        .forEach(row -> callers.add(new JsonObject()
            .put("caller", row.name())
            .put("atLeast", row.atLeast())
            .put("atMost", row.atMost())));
    return new JsonObject()
        .put("total", tops.total())
        .put("limits", limits)
        .put("callers", callers);
  }

  private static JsonArray spans(Timeline timeline) {
    JsonArray all = new JsonArray();
    timeline
        .spans()
        .forEach(span -> all.add(new JsonObject()
            .put(
                "at",
                Instant.ofEpochSecond(TimeUnit.MICROSECONDS.toSeconds(span.atMicros()))
                    .toString())
            .put("admitted", span.admitted())
            .put("refused", span.refused())));
    return all;
  }
}
