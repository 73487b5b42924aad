package io.weir.state.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.bucket.Draw;
import io.weir.decision.Decision.Allowed;
import io.weir.decision.Decision.Denied;
import io.weir.testkit.ManualClock;
import io.weir.testkit.PlainBuckets;
import io.weir.testkit.Trace;
import io.weir.throttle.Charge;
import io.weir.throttle.StoreAnswer;
import io.weir.throttle.StoreAnswer.Decided;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The properties of the reference, on generated traces of 40,000 decisions each. */
final class InMemoryTracesTest {
  private static final int STEPS = 40_000;

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {11, 12, 13, 14, 15})
  void neverAdmitsMoreThanTheBucketHolds(long seed) {
    ManualClock clock = new ManualClock();
    InMemoryBucketStore store = new InMemoryBucketStore(clock);
    PlainBuckets judge = new PlainBuckets();
    long newest = 1;
    long admissions = 0;
    for (Trace.Step step : Trace.generate(seed, STEPS).steps()) {
      clock.advance(Math.max(0, step.advanceMicros()));
      Charge charge = step.charge();
      if (charge.revision() > newest) {
        newest = charge.revision();
        judge = new PlainBuckets(); // another policy, other buckets: judged from here on
        store = new InMemoryBucketStore(clock);
      }
      if (answer(store, charge) instanceof Decided decided
          && decided.decision() instanceof Allowed) {
        admissions++;
        for (Draw draw : charge.draws()) {
          judge.admitted(owner(charge, draw), draw, charge.cost(), clock.passedMicros());
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
    for (Trace.Step step : Trace.generate(seed, STEPS).steps()) {
      clock.advance(step.advanceMicros());
      if (!(answer(store, step.charge()) instanceof Decided decided
          && decided.decision() instanceof Denied denied)) {
        continue;
      }
      denials++;
      clock.advance(denied.retryAfterMicros() - 1);
      assertThat(peeked(store, step.charge())).isInstanceOf(Denied.class);
      clock.advance(1);
      assertThat(peeked(store, step.charge())).isInstanceOf(Allowed.class);
      clock.advance(-denied.retryAfterMicros());
      assertThat(peeked(store, step.charge())).isEqualTo(denied);
    }
    assertThat(denials).isGreaterThan(STEPS / 20);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {31, 32, 33})
  void theOrderOfBucketsDoesNotMatter(long seed) {
    ManualClock clock = new ManualClock();
    InMemoryBucketStore store = new InMemoryBucketStore(clock);
    InMemoryBucketStore turned = new InMemoryBucketStore(clock);
    for (Trace.Step step : Trace.generate(seed, STEPS).steps()) {
      clock.advance(step.advanceMicros());
      assertThat(summary(answer(turned, reversed(step.charge()))))
          .isEqualTo(summary(answer(store, step.charge())));
    }
  }

  private static Charge reversed(Charge charge) {
    List<Draw> draws = new ArrayList<>(charge.draws());
    Collections.reverse(draws);
    return new Charge(charge.tenant(), charge.subject(), charge.revision(), draws, charge.cost());
  }

  // What must not depend on the order: the kind of answer and the wait.
  private static String summary(StoreAnswer answer) {
    if (answer instanceof Decided decided && decided.decision() instanceof Denied denied) {
      return "denied for " + denied.retryAfterMicros();
    }
    return answer instanceof Decided decided
        ? decided.decision().getClass().getSimpleName()
        : answer.toString();
  }

  private static String owner(Charge charge, Draw draw) {
    return switch (draw.bucket().scope()) {
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
