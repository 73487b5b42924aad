package io.weir.inmemory;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Rate;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.slot.SlotMode;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.testkit.ManualClock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Ten callers that are denied at one instant are told ten times, whether the limit is 1,000 a second or one a month. */
final class SlowLimitsTest {
  private static final long SECOND = 1_000_000;
  private static final long DAY = 86_400 * SECOND;
  private static final int CALLERS = 10;
  private static final List<Long> SLOW =
      List.of(10 * SECOND, 30 * SECOND, 60 * SECOND, 720 * SECOND, 3600 * SECOND, DAY, 30 * DAY);
  private static final List<Long> FAST =
      List.of(SECOND / 1000, SECOND / 100, SECOND / 10, SECOND / 2, SECOND);

  @ParameterizedTest
  @EnumSource
  void tenCallersWithTicketsAreToldTenTimes(Scope scope) {
    for (int burst : new int[] {1, 3, 10}) {
      for (long every : SLOW) {
        List<Long> told = told(scope, burst, every, true);
        assertThat(told)
            .as("%d at once, one in %d s", burst, every / SECOND)
            .doesNotHaveDuplicates();
        assertThat(inNeeds(told, every)).isBetween(10.0, 11.3);
      }
      for (long every : FAST) {
        assertThat(told(scope, Math.max(burst, (int) (1000 / every)), every, true))
            .as("%d at once, one in %d us", burst, every)
            .doesNotHaveDuplicates();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void tenCallersThatWaitWholeSecondsAreToldTenTimes(Scope scope) {
    for (int burst : new int[] {1, 3, 10}) {
      for (long every : SLOW) {
        List<Long> told = told(scope, burst, every, false);
        assertThat(told)
            .as("%d at once, one in %d s", burst, every / SECOND)
            .doesNotHaveDuplicates();
        assertThat(inNeeds(told, every)).isBetween(10.0, 11.3);
      }
    }
    assertThat(told(scope, 1, SECOND, false)).doesNotHaveDuplicates();
  }

  // The first two of them have a place, not only an estimate.
  @ParameterizedTest
  @CsvSource({"10", "60", "3600", "86400", "2592000"})
  void theFirstOfThemHaveAPlace(long seconds) {
    Asked asked = new Asked(Scope.KEY, 1, seconds * SECOND, true);
    assertThat(asked.next().decision()).isInstanceOf(Allowed.class);
    Denied first = (Denied) asked.next().decision();
    Denied second = (Denied) asked.next().decision();
    assertThat(first.estimate()).isFalse();
    assertThat(first.retryAfterMicros()).isEqualTo(seconds * SECOND);
    assertThat(second.estimate()).isFalse();
    assertThat(second.retryAfterMicros())
        .isBetween(2 * seconds * SECOND, 21 * seconds * SECOND / 10);
  }

  // However slow the limit is, and whether it stores many operations or one.
  @ParameterizedTest
  @CsvSource({
    "600000, 100, 300, 2",
    "600000, 100, 1000, 2.4",
    "60000000, 5, 300, 2.1",
    "600000, 1, 300, 2.6",
    "60000000, 1, 1000, 2.6"
  })
  void aCrowdWithTicketsReturnsAboutTwice(
      long everyMicros, int burst, int callers, double attempts) {
    Bucket bucket =
        new Bucket("b", Scope.KEY, new Rate(1, everyMicros), burst * everyMicros / 1000);
    Crowd crowd = new Crowd(bucket, 1, SlotMode.RESERVE, 1);
    for (int i = 0; i < callers; i++) {
      crowd.comes(crowd.random.nextLong(SECOND), Crowd.polite("k", true));
    }
    assertThat(crowd.run(2L * callers * everyMicros / SECOND).admissions).hasSize(callers);
    assertThat(crowd.brokenPromises).isZero();
    assertThat((double) crowd.attempts / callers).isLessThanOrEqualTo(attempts);
    double ideal = (double) (callers - burst) * everyMicros / SECOND;
    assertThat(crowd.last()).isLessThanOrEqualTo((burst == 1 ? 1.13 : 1.01) * ideal);
  }

  // Callers without tickets do not make those with tickets begin again: each of these comes twice
  // or
  // three times.
  @ParameterizedTest
  @CsvSource({"600000, 100, 1000, 10", "60000000, 5, 300, 2", "600000, 1, 300, 2"})
  void callersWithoutTicketsLeaveTheTurnsOfOthers(
      long everyMicros, int burst, int callers, int oneWithoutTicketOf) {
    Bucket bucket =
        new Bucket("b", Scope.KEY, new Rate(1, everyMicros), burst * everyMicros / 1000);
    Crowd crowd = new Crowd(bucket, 1, SlotMode.RESERVE, 1);
    for (int i = 0; i < callers; i++) {
      boolean hasTicket = i % oneWithoutTicketOf != 0;
      crowd.comes(crowd.random.nextLong(SECOND), Crowd.polite("k", hasTicket));
    }
    assertThat(crowd.run(2L * callers * everyMicros / SECOND).admissions).hasSize(callers);
    assertThat(attempts(crowd, Crowd.Caller::wantsTicket)).isLessThanOrEqualTo(3.1);
  }

  // Newcomers get no place before callers that have waited, however many they are.
  @ParameterizedTest
  @CsvSource({"100, 2.2", "1, 3.5"})
  void aFloodWithoutTicketsDoesNotPassCallersThatHaveWaited(int burst, double attempts) {
    Bucket bucket = new Bucket("b", Scope.KEY, new Rate(1, 600_000), burst * 600L);
    Crowd crowd = new Crowd(bucket, 1, SlotMode.RESERVE, 1);
    crowd.even(16, 400, new Crowd.Caller("k", false, Crowd.NEVER));
    for (int at = 100; at < 300; at += 4) {
      crowd.comes(at * SECOND, Crowd.polite("k", true));
    }
    crowd.run(2000);
    assertThat(attempts(crowd, one -> one.returns() != Crowd.NEVER)).isLessThanOrEqualTo(attempts);
  }

  private static double attempts(Crowd crowd, Predicate<Crowd.Caller> of) {
    return crowd.admissions.stream()
        .filter(one -> of.test(one.caller()))
        .mapToInt(Crowd.Admission::attempt)
        .average()
        .orElseThrow();
  }

  // Callers that never return leave the turns of others as near as without tickets.
  @ParameterizedTest
  @CsvSource({"true", "false"})
  void promisesThatAreNotClaimedShortenTheTurns(boolean tickets) {
    Bucket bucket = new Bucket("b", Scope.KEY, new Rate(1, 600_000), 60_000);
    Crowd crowd = new Crowd(bucket, 1, SlotMode.RESERVE, 1);
    crowd.even(16, 400, new Crowd.Caller("k", tickets, Crowd.NEVER));
    for (int at = 200; at < 400; at += 10) {
      crowd.comes(at * SECOND, Crowd.polite("k", true));
    }
    crowd.run(2000);
    assertThat(crowd.admissions.stream()
            .filter(one -> one.caller().returns() != Crowd.NEVER)
            .mapToLong(Crowd.Admission::waited))
        .hasSize(20)
        .allMatch(waited -> waited < 150 * SECOND);
  }

  private static double inNeeds(List<Long> told, long every) {
    return (double) Collections.max(told) / every;
  }

  private static List<Long> told(Scope scope, int burst, long everyMicros, boolean tickets) {
    Asked asked = new Asked(scope, burst, everyMicros, tickets);
    for (int i = 0; i < burst; i++) {
      assertThat(asked.next().decision()).isInstanceOf(Allowed.class);
    }
    List<Long> told = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      told.add(((Denied) asked.next().decision()).retryAfterMicros());
    }
    return told;
  }

  /** Requests at one instant, of three keys if they share the bucket. Mutable. */
  private static final class Asked {
    private final InMemoryBucketStore store = new InMemoryBucketStore(new ManualClock());
    private final Bucket bucket;
    private final boolean tickets;
    private int asked;

    Asked(Scope scope, int burst, long everyMicros, boolean tickets) {
      Rate rate = new Rate(1, everyMicros);
      this.bucket = new Bucket("logins", scope, rate, burst * everyMicros / 1000);
      this.tickets = tickets;
    }

    Decided next() {
      TicketRequest ticket = tickets
          ? TicketRequest.wanted(Optional.empty(), "%022d".formatted(asked))
          : TicketRequest.NONE;
      String key = "k" + (bucket.scope() == Scope.KEY ? 0 : asked % 3);
      asked++;
      Charge charge = new Charge("acme", key, 1, List.of(Demand.of(bucket)), 1)
          .with(new Queueing(SlotMode.RESERVE, ticket));
      return (Decided) store.tryCharge(charge).toCompletableFuture().join();
    }
  }
}
