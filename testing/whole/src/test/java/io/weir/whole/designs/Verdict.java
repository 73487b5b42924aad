package io.weir.whole.designs;

import io.vertx.core.json.JsonObject;
import io.weir.whole.designs.Callers.Call;
import io.weir.whole.designs.DesignProvider.Level;
import io.weir.whole.designs.Limit.Span;
import io.weir.whole.designs.Limit.Use;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.SoftAssertions;

/** Judges the run of a design, by counts and definitions alone. */
final class Verdict {
  /** One call in so many may meet only estimates, and need more attempts than its design has. */
  private static final int FEW = 1000;

  private static final double ROUNDING = 1e-6;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long REVOKED_WITHIN = 5 * SECOND;

  private final DesignRun run;
  private final Phases phases;
  private final SoftAssertions all;
  private final List<Answer> answers;
  private final Span away;

  Verdict(DesignRun run, Phases phases, SoftAssertions all) {
    this.run = run;
    this.phases = phases;
    this.all = all;
    this.answers = List.copyOf(run.callers.answers);
    // Until the last decision that a node made by itself, or refused for want of Redis.
    long to = answers.stream()
        .filter(answer ->
            answer.isDegraded() || (answer.status() == 503 && answer.sent() < phases.away.to()))
        .mapToLong(Answer::got)
        .filter(got -> got > phases.away.from())
        .max()
        .orElse(phases.away.to());
    this.away = new Span(phases.away.from(), Math.max(to, phases.away.to()));
  }

  /** Judges, and returns a row of the table. */
  String row() throws Exception {
    String use = limits();
    String attempts = attempts();
    revoked();
    String faults = run.hasProviders() ? providers() : "";
    switch (run.design.style()) {
      case JOBS -> faults += jobs();
      case RANGES -> faults += ranges();
      default -> {}
    }
    Map<Integer, Integer> statuses = new TreeMap<>();
    answers.forEach(answer -> statuses.merge(answer.status(), 1, Integer::sum));
    return "%-8s| %6d | %6d | %6d | %-42s | %-12s | %s%s"
        .formatted(
            run.design.name(),
            answers.size(),
            statuses.getOrDefault(200, 0),
            statuses.getOrDefault(429, 0),
            use,
            attempts,
            faults,
            "other " + other(statuses));
  }

  private static Map<Integer, Integer> other(Map<Integer, Integer> statuses) {
    Map<Integer, Integer> other = new TreeMap<>(statuses);
    other.keySet().removeAll(Set.of(200, 429));
    return other;
  }

  private String limits() {
    String fullest = "";
    double most = -1;
    for (Limit limit : Limit.of(run.policy)) {
      Use use = limit.judge(answers, away, run.nodes.count());
      all.assertThat(use.over())
          .as("%s: seconds above %s", run.design.name(), limit.name())
          .isLessThanOrEqualTo(ROUNDING);
      if (use.most() / limit.burst() > most) {
        most = use.most() / limit.burst();
        double each =
            limit.seconds().values().stream().mapToDouble(one -> one).min().orElse(1);
        fullest = String.format(
            Locale.ROOT,
            "%s %.0f of %.0f in %.1f s",
            limit.name(),
            use.most() / each,
            2 * limit.burst() / each,
            limit.burst());
      }
    }
    return fullest;
  }

  private String attempts() {
    List<Call> calls = List.copyOf(run.callers.calls);
    List<Call> undisturbed = calls.stream()
        .filter(call -> !away.touches(call.begun(), call.ended()))
        .filter(call -> run.hasProviders() || !phases.dead.touches(call.begun(), call.ended()))
        .toList();
    int most = undisturbed.stream().mapToInt(Call::attempts).max().orElse(0);
    List<Call> tooLong =
        undisturbed.stream().filter(call -> call.attempts() > run.design.most()).toList();
    tooLong.forEach(call -> System.out.printf(
        "%s: %d attempts, begun %d ms after Redis was back: %s%n",
        run.design.name(),
        call.attempts(),
        (call.begun() - phases.away.to()) / 1_000_000,
        call.story()));
    all.assertThat(calls).as(run.design.name()).isNotEmpty().allMatch(Call::isGood);
    if (phases.pulse.isBusy()) {
      System.out.println(run.design.name() + ": attempts not judged, the machine was busy");
    } else {
      all.assertThat(tooLong)
          .as(
              "%s: calls of %d that needed more than %d attempts",
              run.design.name(), undisturbed.size(), run.design.most())
          .hasSizeLessThanOrEqualTo(1 + undisturbed.size() / FEW);
    }
    return String.format(
        Locale.ROOT,
        "%.2f, most %d",
        undisturbed.stream().mapToInt(Call::attempts).average().orElse(0),
        most);
  }

  private void revoked() {
    List<Answer> since = run.ofRevoked.stream()
        .filter(answer -> answer.sent() > phases.revoked + REVOKED_WITHIN)
        .toList();
    all.assertThat(run.ofRevoked)
        .as("%s: before the revocation", run.design.name())
        .anyMatch(answer -> answer.sent() < phases.revoked && answer.status() / 100 == 2);
    all.assertThat(since)
        .as("%s: the revoked key", run.design.name())
        .isNotEmpty()
        .allMatch(answer -> Set.of(0, 401, 503).contains(answer.status()));
    all.assertThat(since)
        .as("%s: the revoked key, at last", run.design.name())
        .last()
        .matches(answer -> answer.status() == 401);
  }

  private String providers() throws Exception {
    String name = run.design.name();
    long rested = run.nodes.metric("throttle_upstream_keys_rested_total", "");
    long opened = run.nodes.metric("throttle_upstream_breaker_transitions_total", "to=\"open\"");
    long closed = run.nodes.metric("throttle_upstream_breaker_transitions_total", "to=\"closed\"");
    all.assertThat(run.seen.refused.get()).as(name + ": refusals").isPositive();
    all.assertThat(rested).as(name + ": rests of the refused key").isPositive();
    all.assertThat(answers).as(name).noneMatch(answer -> answer.status() == 401);
    all.assertThat(run.seen.uses.get("a/1"))
        .as(name + ": the refused key is used again")
        .isGreaterThan(run.usesUntilRefused);
    all.assertThat(opened).as(name + ": the breaker opens").isPositive();
    all.assertThat(closed).as(name + ": the breaker closes").isPositive();
    int bound = upstream().getInteger("maxInflight");
    int most = run.seen.levels.stream().mapToInt(Level::requests).max().orElse(0);
    all.assertThat(most).as(name + ": under way").isBetween(1, bound);
    return "breaker opened %d, closed %d; key refused %d, rested %d; under way %d of %d; "
        .formatted(opened, closed, run.seen.refused.get(), rested, most, bound);
  }

  private JsonObject upstream() {
    JsonObject upstreams = run.policy.getJsonObject("upstreams");
    return upstreams.getJsonObject(upstreams.fieldNames().iterator().next());
  }

  private String jobs() {
    Span older = new Span(phases.older.from(), away.to());
    List<Long> again = new ArrayList<>();
    run.jobs.ended.forEach((number, job) -> {
      int executions = run.seen.executions.getOrDefault(number, 0);
      all.assertThat(executions).as("executions of job " + number).isPositive();
      if (executions > 1) {
        again.add(number);
        // A provider that died with a job gets it again, with the same idempotency key.
        boolean isDisturbed = older.touches(job.begun(), job.ended())
            || phases.dead.touches(job.begun(), job.ended());
        all.assertThat(isDisturbed)
            .as("job %d was executed %d times", number, executions)
            .isTrue();
      }
    });
    int perSecond = Limit.objects(run.policy.getJsonArray("operations"))
        .get(0)
        .getJsonObject("job")
        .getInteger("dispatchPerSecond");
    int most = mostSends(10 * SECOND);
    // Some are late, because of this process or the network.
    all.assertThat(most).as("sends in ten seconds").isLessThanOrEqualTo(perSecond * 10 * 5 / 4);
    return "submitted again %d, executed again %d; sent in 10 s %d of %d; "
        .formatted(run.jobs.lost.get(), again.size(), most, perSecond * 10);
  }

  private int mostSends(long window) {
    long[] times = run.seen.sends.stream().mapToLong(Long::longValue).sorted().toArray();
    int most = 0;
    for (int first = 0, i = 0; i < times.length; i++) {
      while (times[i] - times[first] >= window) {
        first++;
      }
      most = Math.max(most, i - first + 1);
    }
    return most;
  }

  private String ranges() {
    int width = run.policy.getJsonObject("windows").getJsonObject("blocks").getInteger("width");
    long[] from =
        run.ranges.committed.keySet().stream().mapToLong(Long::longValue).toArray();
    all.assertThat(run.ranges.mostOpen.get()).as("open ranges").isBetween(1L, (long) width);
    all.assertThat(from).as("committed ranges").isNotEmpty();
    for (int i = 0; i < from.length; i++) {
      all.assertThat(from[i]).isEqualTo((long) i * Ranges.SIZE);
      all.assertThat(run.ranges.committed.get(from[i])).isEqualTo("done of " + from[i]);
    }
    return "ranges committed %d, open %d of %d; "
        .formatted(from.length, run.ranges.mostOpen.get(), width);
  }
}
