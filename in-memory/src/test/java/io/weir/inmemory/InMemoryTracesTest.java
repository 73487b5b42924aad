package io.weir.inmemory;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Demand;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.testkit.Histories;
import io.weir.testkit.ManualClock;
import io.weir.testkit.PlainBuckets;
import io.weir.testkit.Scenario;
import io.weir.testkit.Scenario.Step;
import io.weir.testkit.Scenario.StepType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The properties of the reference, on generated traces, with {@code -Pthorough} of 40,000 decisions each. */
final class InMemoryTracesTest {
  private static final int STEPS = Histories.count(10_000, 40_000);

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {11, 12, 13, 14, 15})
  void neverAdmitsMoreThanTheBucketHolds(long seed) {
    ManualClock clock = new ManualClock();
    InMemoryBucketStore store = new InMemoryBucketStore(clock);
    PlainBuckets judge = new PlainBuckets();
    long newest = 1;
    long admissions = 0;
    for (Step step : steps(seed)) {
      clock.advance(Math.max(0, step.advanceMicros()));
      Charge charge = step.charges().get(0);
      if (charge.revision() > newest) {
        newest = charge.revision();
        judge = new PlainBuckets(); // another policy, other buckets: the judge starts again
        store = new InMemoryBucketStore(clock);
      }
      if (answer(store, charge) instanceof Decided decided
          && decided.decision() instanceof Allowed) {
        admissions++;
        for (Demand demand : charge.demands()) {
          judge.admitted(owner(charge, demand), demand, charge.cost(), clock.passedMicros());
        }
      }
    }
    assertThat(admissions).isGreaterThan(STEPS / 20);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {21, 22, 23})
  void isAllowedAtRetryAfterAndDeniedOneMicrosecondBefore(long seed) {
    ManualClock clock = new ManualClock();
    InMemoryBucketStore store = new InMemoryBucketStore(clock);
    long denials = 0;
    for (Step step : steps(seed)) {
      clock.advance(step.advanceMicros());
      if (!(answer(store, step.charges().get(0)) instanceof Decided decided
          && decided.decision() instanceof Denied denied)) {
        continue;
      }
      denials++;
      clock.advance(denied.retryAfterMicros() - 1);
      assertThat(peeked(store, step.charges().get(0))).isInstanceOf(Denied.class);
      clock.advance(1);
      assertThat(peeked(store, step.charges().get(0))).isInstanceOf(Allowed.class);
      clock.advance(-denied.retryAfterMicros());
      assertThat(peeked(store, step.charges().get(0))).isEqualTo(denied);
    }
    assertThat(denials).isGreaterThan(STEPS / 20);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {31, 32, 33})
  void theOrderOfBucketsDoesNotMatter(long seed) {
    ManualClock clock = new ManualClock();
    InMemoryBucketStore store = new InMemoryBucketStore(clock);
    InMemoryBucketStore turned = new InMemoryBucketStore(clock);
    for (Step step : steps(seed)) {
      clock.advance(step.advanceMicros());
      assertThat(summary(answer(turned, reversed(step.charges().get(0)))))
          .isEqualTo(summary(answer(store, step.charges().get(0))));
    }
  }

  private static List<Step> steps(long seed) {
    Scenario scenario = new Scenario(seed, StepType.RATES);
    return Stream.generate(scenario::next).limit(STEPS).toList();
  }

  private static Charge reversed(Charge charge) {
    List<Demand> demands = new ArrayList<>(charge.demands());
    Collections.reverse(demands);
    return new Charge(charge.tenant(), charge.subject(), charge.revision(), demands, charge.cost());
  }

  // The parts that must not depend on the order: the kind of answer and the wait.
  private static String summary(StoreAnswer answer) {
    if (answer instanceof Decided decided && decided.decision() instanceof Denied denied) {
      return "denied for " + denied.retryAfterMicros();
    }
    return answer instanceof Decided decided
        ? decided.decision().getClass().getSimpleName()
        : answer.toString();
  }

  private static String owner(Charge charge, Demand demand) {
    return switch (demand.bucket().scope()) {
      case KEY -> charge.tenant() + "/" + charge.subject();
      case TENANT -> charge.tenant();
      case CLUSTER -> "all";
    };
  }

  private static StoreAnswer answer(InMemoryBucketStore store, Charge charge) {
    return store.tryCharge(charge).toCompletableFuture().join();
  }

  private static Object peeked(InMemoryBucketStore store, Charge charge) {
    StoreAnswer answer = store.peek(charge).toCompletableFuture().join();
    return answer instanceof Decided decided ? decided.decision() : answer;
  }
}
