package io.weir.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.slot.SlotMode;
import io.weir.core.slot.SlotRules;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.testkit.ManualClock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** A crowd on one key of 100/s beside newcomers. */
final class SlotCrowdsTest {
  private static final long SECOND = 1_000_000;
  private static final long RATE = 100;
  private static final long NETWORK_MICROS = 15_000;
  private static final List<Demand> DRAWS =
      List.of(Demand.of(new Bucket("requests", Scope.KEY, RATE * 1000, 1000)));

  private final ManualClock clock = new ManualClock();
  private final InMemoryBucketStore store = new InMemoryBucketStore(clock);
  private final RandomGenerator random = new Random(7);
  private final PriorityQueue<Visit> visits =
      new PriorityQueue<>(Comparator.comparingLong(Visit::atMicros).thenComparing(Visit::number));
  private final List<Admission> admissions = new ArrayList<>();
  private final long began = clock.getAsLong();
  private SlotRules rules = SlotRules.DEFAULT;
  private long number;

  private record Visit(
      long number,
      long atMicros,
      long bornMicros,
      int attempt,
      boolean absent,
      Optional<String> ticket) {}

  private record Admission(long atMicros, long waitMicros, int attempt) {}

  @Test
  void tenThousandCallersAskTwiceAtMost() {
    rules = new SlotRules(SlotMode.RESERVE, SECOND / 2, 10_000, 120 * SECOND);
    crowd(10_000);
    run();
    assertThat(admissions).hasSize(10_000);
    assertThat(admissions).allSatisfy(one -> assertThat(one.attempt()).isLessThanOrEqualTo(2));
    assertThat(last()).isLessThanOrEqualTo(99 * SECOND + 2 * NETWORK_MICROS);
  }

  @Test
  void freshTrafficAtNineTenthsOfTheRateKeepsWaitsShort() {
    crowd(1000);
    fresh(90, 120, 0);
    run();
    assertThat(admissions).hasSize(1000 + 90 * 120);
    assertThat(admissions.stream().mapToLong(Admission::waitMicros).max().orElseThrow())
        .isLessThanOrEqualTo(10 * SECOND);
    assertThat(admissions).allSatisfy(one -> assertThat(one.attempt()).isLessThanOrEqualTo(2));
  }

  @Test
  void aCallerThatNeverReturnsLeavesItsPlaceToOthers() {
    fresh(140, 60, 0.2);
    run();
    long used = admissions.stream()
        .filter(one -> one.atMicros() >= 5 * SECOND && one.atMicros() < 60 * SECOND)
        .count();
    assertThat(used).isGreaterThanOrEqualTo((long) (0.97 * RATE * 55));
  }

  private void crowd(int callers) {
    for (int i = 0; i < callers; i++) {
      visits.add(new Visit(number++, began, began, 1, false, Optional.empty()));
    }
  }

  private void fresh(long perSecond, long seconds, double absentShare) {
    for (long i = 0; i < perSecond * seconds; i++) {
      long at = began + (i + 1) * SECOND / perSecond;
      boolean absent = random.nextDouble() < absentShare;
      visits.add(new Visit(number++, at, at, 1, absent, Optional.empty()));
    }
  }

  private void run() {
    while (!visits.isEmpty()) {
      Visit visit = visits.poll();
      clock.advance(Math.max(0, visit.atMicros() - clock.getAsLong()));
      if (ask(visit) instanceof Denied denied) {
        comeBack(visit, denied);
      } else {
        admissions.add(new Admission(
            clock.getAsLong() - began, clock.getAsLong() - visit.bornMicros(), visit.attempt()));
      }
    }
  }

  private void comeBack(Visit visit, Denied denied) {
    if (visit.absent()) {
      return;
    }
    long late = random.nextLong(NETWORK_MICROS);
    visits.add(new Visit(
        number++,
        clock.getAsLong() + denied.retryAfterMicros() + late,
        visit.bornMicros(),
        visit.attempt() + 1,
        false,
        denied.ticket()));
  }

  private Decision ask(Visit visit) {
    TicketRequest ticket = TicketRequest.wanted(visit.ticket(), "%022d".formatted(visit.number()));
    Charge charge = new Charge("acme", "k1", 1, DRAWS, 1).with(new Queueing(rules, ticket));
    return ((Decided) store.tryCharge(charge).toCompletableFuture().join()).decision();
  }

  private long last() {
    return admissions.stream().mapToLong(Admission::atMicros).max().orElseThrow();
  }
}
