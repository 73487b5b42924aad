package io.weir.inmemory;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.LeakyBucket;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.slot.SlotLimits;
import io.weir.core.slot.SlotMode;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.testkit.Histories;
import io.weir.testkit.ManualClock;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The waits of denied callers are bounded however often they ask, and shrink as time passes: section 6 of {@code
 * docs/explanation/slots.md}.
 */
final class SlotEstimatesTest {
  private static final int OFTEN = Histories.count(300, 2000);

  private final ManualClock clock = new ManualClock();
  private final InMemoryBucketStore store = new InMemoryBucketStore(clock);

  static Stream<Arguments> limits() {
    return Stream.of("1000 200", "100 10000", "1 1000", "1 20000", "0.017 60000")
        .flatMap(limit -> Stream.of(Scope.values())
            .flatMap(scope -> Stream.of(SlotMode.values())
                .flatMap(mode -> Stream.of(true, false)
                    .map(wantsTicket -> Arguments.of(limit, scope, mode, wantsTicket)))));
  }

  @ParameterizedTest
  @MethodSource("limits")
  void aCallerThatAsksAgainAndAgainIsToldBoundedWaitsThatShrink(
      String limit, Scope scope, SlotMode mode, boolean wantsTicket) {
    String[] words = limit.split(" ", 2);
    Bucket bucket = new Bucket(
        "b", scope, (long) (1000 * Double.parseDouble(words[0])), Long.parseLong(words[1]));
    long each = LeakyBucket.emptyAfterMicros(bucket.unitsPerOperation(), bucket.unitsPerMicro());
    long turns = wantsTicket ? SlotLimits.TICKET_TURNS : SlotLimits.TURNS;
    long bound = Math.max(SlotLimits.FURTHEST_US, turns * each) + 2 * each;
    askUntilDenied(bucket, mode, wantsTicket);

    long longest = 0;
    for (int i = 0; i < OFTEN; i++) {
      longest = Math.max(longest, waitMicros(bucket, mode, wantsTicket));
    }
    assertThat(longest).isBetween(1L, bound);

    // If two operations do not fit, the bucket stands idle for 4 of its 32 bins between two places.
    boolean isIdle = wantsTicket && 2 * bucket.unitsPerOperation() > bucket.capacityUnits();
    long step = isIdle ? each + 1000 * bucket.burstMillis() / 8 : each;
    long passed = Math.min(longest / 2, each / 2);
    clock.advance(passed);
    assertThat(waitMicros(bucket, mode, wantsTicket))
        .as("the wait of the next caller, one operation later than the last one")
        .isLessThanOrEqualTo(Math.max(longest + step + second(wantsTicket) - passed, each));
  }

  // Callers without tickets get whole seconds.
  private static long second(boolean wantsTicket) {
    return wantsTicket ? 0 : SlotLimits.SECOND_US;
  }

  private void askUntilDenied(Bucket bucket, SlotMode mode, boolean wantsTicket) {
    while (!(answer(bucket, mode, wantsTicket).decision() instanceof Denied)) {
      // The burst is used up.
    }
  }

  private long waitMicros(Bucket bucket, SlotMode mode, boolean wantsTicket) {
    return ((Denied) answer(bucket, mode, wantsTicket).decision()).retryAfterMicros();
  }

  private Decided answer(Bucket bucket, SlotMode mode, boolean wantsTicket) {
    TicketRequest ticket = wantsTicket
        ? TicketRequest.wanted(Optional.empty(), () -> "s".repeat(22))
        : TicketRequest.NONE;
    Charge charge =
        new Charge("acme", "k1", 1, List.of(Demand.of(bucket)), 1).with(new Queueing(mode, ticket));
    return (Decided) store.tryCharge(charge).toCompletableFuture().join();
  }
}
