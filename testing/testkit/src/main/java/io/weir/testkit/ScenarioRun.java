package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Demand;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.testkit.Scenario.Step;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * Plays a scenario to two stores and compares each answer, or to one store alone; counts the events. If one policy is in
 * force for the whole history, a judge that shares no code with the stores checks that no bucket admits more than it
 * holds. Mutable; owned by one test.
 */
public final class ScenarioRun {
  private static final int PEEK_ONE_IN = 20;

  private final Scenario scenario;
  private final Scenario.StepType kind;
  private final ManualClock clock;
  private final Optional<BucketStore> reference;
  private final BucketStore other;
  private final Executor turn;
  private final PlainBuckets judge = new PlainBuckets();
  private final Map<String, Long> seen = new TreeMap<>();
  private int steps;

  /**
   * @param reference and {@code other}: on this clock, both empty
   * @param turn runs a task so that all its charges on {@code other} are asked together
   */
  public ScenarioRun(
      Scenario scenario,
      Scenario.StepType kind,
      ManualClock clock,
      BucketStore reference,
      BucketStore other,
      Executor turn) {
    this(scenario, kind, clock, Optional.of(reference), other, turn);
  }

  private ScenarioRun(
      Scenario scenario,
      Scenario.StepType kind,
      ManualClock clock,
      Optional<BucketStore> reference,
      BucketStore other,
      Executor turn) {
    this.scenario = scenario;
    this.kind = kind;
    this.clock = clock;
    this.reference = reference;
    this.other = other;
    this.turn = turn;
  }

  /** Without another store to compare with: the judge and the counts of events remain. */
  public static ScenarioRun alone(
      Scenario scenario, Scenario.StepType kind, ManualClock clock, BucketStore store) {
    return new ScenarioRun(scenario, kind, clock, Optional.empty(), store, Runnable::run);
  }

  /** Plays the next {@code howMany} steps; a step makes one to six charges. */
  public ScenarioRun run(int howMany) {
    for (int i = 0; i < howMany; i++) {
      play(scenario.next());
    }
    return this;
  }

  /** The counts of events, by words such as {@code KEPT}, {@code estimate} or {@code Stale}. */
  public Map<String, Long> seen() {
    return Map.copyOf(seen);
  }

  /** The count of an event. */
  public long seen(String what) {
    return seen.getOrDefault(what, 0L);
  }

  private void play(Step step) {
    clock.advance(step.advanceMicros());
    CompletableFuture<List<CompletionStage<StoreAnswer>>> asked = new CompletableFuture<>();
    turn.execute(
        () -> asked.complete(step.charges().stream().map(other::tryCharge).toList()));
    List<CompletionStage<StoreAnswer>> answers = asked.join();
    for (int i = 0; i < answers.size(); i++) {
      Charge charge = step.charges().get(i);
      StoreAnswer answer = answers.get(i).toCompletableFuture().join();
      if (reference.isPresent()) {
        assertThat(answer)
            .describedAs("seed %d, step %d, charge %d of %s", scenario.seed(), steps, i, step)
            .isEqualTo(reference.get().tryCharge(charge).toCompletableFuture().join());
      }
      note(charge, answer);
      scenario.answered(charge, answer);
    }
    steps++;
    if (steps % PEEK_ONE_IN == 0) {
      reference.ifPresent(store -> peek(store, step.charges().get(0)));
    }
  }

  private void peek(BucketStore store, Charge charge) {
    assertThat(other.peek(charge).toCompletableFuture().join())
        .describedAs("seed %d, after step %d, peeking %s", scenario.seed(), steps, charge)
        .isEqualTo(store.peek(charge).toCompletableFuture().join());
  }

  private void note(Charge charge, StoreAnswer answer) {
    count("asked", 1);
    if (!(answer instanceof Decided decided)) {
      count("Stale", 1);
      return;
    }
    count(decided.decision().getClass().getSimpleName(), 1);
    count(decided.report().returned().name(), 1);
    count("made", decided.report().made() ? 1 : 0);
    if (decided.decision() instanceof Denied denied) {
      count(denied.estimate() ? "estimate" : "slot", 1);
    } else if (decided.decision() instanceof Allowed && kind == Scenario.StepType.CALLERS) {
      judge(charge);
    }
  }

  private void judge(Charge charge) {
    for (Demand demand : charge.demands()) {
      judge.admitted(owner(charge, demand), demand, charge.cost(), clock.passedMicros());
    }
  }

  private static String owner(Charge charge, Demand demand) {
    return switch (demand.bucket().scope()) {
      case KEY -> charge.tenant() + "/" + charge.subject();
      case TENANT -> charge.tenant();
      case CLUSTER -> "all";
    };
  }

  private void count(String what, long times) {
    if (times > 0) {
      seen.merge(what, times, Long::sum);
    }
  }
}
