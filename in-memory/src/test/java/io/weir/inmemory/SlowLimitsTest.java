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
