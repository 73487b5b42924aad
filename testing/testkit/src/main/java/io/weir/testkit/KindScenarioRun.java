package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.decision.Decision.Denied;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.HoldStore;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.testkit.KindScenario.Step;
import io.weir.testkit.KindScenario.Step.Ask;
import io.weir.testkit.KindScenario.Step.End;
import io.weir.testkit.KindScenario.Step.Renew;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** Plays a scenario with all kinds of demand to two stores and compares each answer. Mutable; owned by one test. */
public final class KindScenarioRun {
  private static final int PEEK_ONE_IN = 20;

  private final KindScenario scenario;
  private final ManualClock clock;
  private final Stores reference;
  private final Stores other;
  private final Executor turn;
  private final Map<String, Long> seen = new TreeMap<>();
  private int steps;

  /** A store with both interfaces. */
  public record Stores(BucketStore buckets, HoldStore holds) {}

  /** @param turn runs a task so that all its charges on {@code other} are asked together */
  public KindScenarioRun(
      KindScenario scenario, ManualClock clock, Stores reference, Stores other, Executor turn) {
    this.scenario = scenario;
    this.clock = clock;
    this.reference = reference;
    this.other = other;
    this.turn = turn;
  }

  /** Plays the next {@code howMany} steps. */
  public KindScenarioRun run(int howMany) {
    for (int i = 0; i < howMany; i++) {
      play(scenario.next());
      steps++;
    }
    return this;
  }

  /** The events and their counts. */
  public Map<String, Long> seen() {
    return Map.copyOf(seen);
  }

  private void play(Step step) {
    if (step instanceof Ask ask) {
      ask(ask);
    } else if (step instanceof End end) {
      same(
          step,
          reference.holds.end(end.held(), end.ending()),
          other.holds.end(end.held(), end.ending()));
    } else if (step instanceof Renew renew) {
      same(
          step,
          reference.holds.renew(List.of(renew.held())),
          other.holds.renew(List.of(renew.held())));
    } else {
      same(step, reference.holds.expire(), other.holds.expire());
    }
  }

  private void same(Step step, CompletionStage<?> expected, CompletionStage<?> answer) {
    Object told = expected.toCompletableFuture().join();
    assertThat(answer.toCompletableFuture().join())
        .describedAs("seed %d, step %d, %s", scenario.seed(), steps, step)
        .isEqualTo(told);
    count(step.getClass().getSimpleName() + " "
        + told.toString().replaceAll("cost=.*", "").replaceAll("[0-9]{2,}", "many"));
  }

  private void ask(Ask step) {
    clock.advance(step.advanceMicros());
    CompletableFuture<List<CompletionStage<StoreAnswer>>> asked = new CompletableFuture<>();
    turn.execute(() ->
        asked.complete(step.charges().stream().map(other.buckets::tryCharge).toList()));
    List<CompletionStage<StoreAnswer>> answers = asked.join();
    for (int i = 0; i < answers.size(); i++) {
      Charge charge = step.charges().get(i);
      StoreAnswer expected =
          reference.buckets.tryCharge(charge).toCompletableFuture().join();
      assertThat(answers.get(i).toCompletableFuture().join())
          .describedAs("seed %d, step %d, charge %d of %s", scenario.seed(), steps, i, step)
          .isEqualTo(expected);
      note(expected);
      noteGranted(charge, expected);
      scenario.answered(charge, expected);
    }
    if (steps % PEEK_ONE_IN == 0) {
      Charge charge = step.charges().get(0);
      assertThat(other.buckets.peek(charge).toCompletableFuture().join())
          .describedAs("seed %d, after step %d, peeking %s", scenario.seed(), steps, charge)
          .isEqualTo(reference.buckets.peek(charge).toCompletableFuture().join());
    }
  }

  private void note(StoreAnswer answer) {
    if (!(answer instanceof Decided decided)) {
      count("Stale");
      return;
    }
    count(decided.decision().getClass().getSimpleName());
    count(decided.report().returned().name());
    if (decided.report().made()) {
      count("made");
    }
    if (!decided.decision().remarks().paidBy().isEmpty()) {
      count("overflow");
    }
    if (decided.decision().remarks().multiplierMillis() > 1000) {
      count("congested");
    }
    if (decided.decision() instanceof Denied denied) {
      denied.full().forEach(name -> count("full " + name));
    }
  }

  private void noteGranted(Charge charge, StoreAnswer answer) {
    if (charge.isPartial() && answer instanceof Decided decided) {
      OptionalLong granted = decided.decision().remarks().granted();
      String part = granted.isEmpty()
          ? "nothing"
          : granted.getAsLong() == charge.cost()
              ? "all"
              : granted.getAsLong() == charge.atLeast().cost() ? "least" : "part";
      count("granted " + part);
    }
  }

  private void count(String what) {
    seen.merge(what, 1L, Long::sum);
  }
}
