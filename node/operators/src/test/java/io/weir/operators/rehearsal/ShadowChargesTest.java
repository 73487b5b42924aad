package io.weir.operators.rehearsal;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Demand;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.inmemory.InMemoryBucketStore;
import io.weir.testkit.Histories;
import io.weir.testkit.ManualClock;
import io.weir.testkit.Scenario;
import io.weir.testkit.Scenario.Step;
import io.weir.testkit.Scenario.StepType;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Generated histories, with {@code -Pthorough} a million decisions in all, with and without rehearsed limits beside them
 * in the same store: what counts is the same, and what is rehearsed is as if it were alone.
 */
@Tag("engine")
final class ShadowChargesTest {
  private static final int STEPS = Histories.count(10_000, 40_000);
  private static final List<StepType> KINDS =
      List.of(StepType.MIXED, StepType.RATES, StepType.CALLERS);
  private static final Map<List<Demand>, Limited> KNOWN = new ConcurrentHashMap<>();

  private static LongStream seeds() {
    long first = Histories.firstSeed();
    return LongStream.range(first, first + Histories.count(3, 25));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void whatIsRehearsedChangesNothingThatCounts(long seed) {
    StepType kind = KINDS.get((int) (seed % KINDS.size()));
    ManualClock clock = new ManualClock();
    Scenario scenario = new Scenario(seed, kind);
    Random random = new Random(~seed);
    InMemoryBucketStore without = new InMemoryBucketStore(clock);
    InMemoryBucketStore with = new InMemoryBucketStore(clock);
    InMemoryBucketStore alone = new InMemoryBucketStore(clock);
    ShadowCharges shadows = new ShadowCharges("audit");
    long decisions = 0;
    long denied = 0;
    long revision = 1;
    while (decisions < STEPS) {
      Step step = scenario.next();
      clock.advance(step.advanceMicros());
      for (Charge charge : step.charges()) {
        if (charge.revision() > revision) { // other limits: all begin anew
          revision = charge.revision();
          without = new InMemoryBucketStore(clock);
          with = new InMemoryBucketStore(clock);
          alone = new InMemoryBucketStore(clock);
        }
        if (charge.revision() < revision) {
          scenario.answered(charge, new StoreAnswer.Stale(revision));
          continue;
        }
        StoreAnswer counts = answer(without, charge);
        requireEqual(answer(with, charge), counts);
        scenario.answered(charge, counts);
        decisions++;
        ShadowCharge shadow = shadow(shadows, charge, random);
        StoreAnswer expected = shadow.decide(alone).toCompletableFuture().join();
        requireEqual(shadow.decide(with).toCompletableFuture().join(), expected);
        denied +=
            expected instanceof Decided decided && decided.decision() instanceof Denied ? 1 : 0;
      }
    }
    assertThat(denied).isPositive();
  }

  // Some of the limits, tighter by what a request costs.
  private static ShadowCharge shadow(ShadowCharges shadows, Charge charge, Random random) {
    List<Demand> demands =
        charge.demands().subList(0, 1 + random.nextInt(charge.demands().size()));
    Limited limited = KNOWN.computeIfAbsent(demands, list -> new Limited(list, List.of()));
    return shadows.of(
        limited, charge.tenant(), charge.subject(), 1 + random.nextInt(3), charge.revision());
  }

  // An assertion for each step would take longer than the steps.
  private static void requireEqual(StoreAnswer found, StoreAnswer expected) {
    if (!found.equals(expected)) {
      assertThat(found).isEqualTo(expected);
    }
  }

  private static StoreAnswer answer(InMemoryBucketStore store, Charge charge) {
    return store.tryCharge(charge).toCompletableFuture().join();
  }
}
