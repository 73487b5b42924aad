package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Demand;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.kind.Extras;
import io.weir.core.throttle.Cost;
import io.weir.core.throttle.Ended;
import io.weir.core.throttle.Ended.Status;
import io.weir.core.throttle.Ending;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The promises of every store for requests that accept less than their cost. */
abstract class PartialContract extends RatesContract {
  private static final Demand TOKENS = perMinute("tokens", 60);

  @Tag(TransportFacts.TAG)
  @Test
  void whatIsLeftIsTakenUpToTheCost() {
    assertThat(granted(ask(new Cost(45, 5), List.of(TOKENS), Extras.NONE))).isEqualTo(45);
    assertThat(granted(ask(new Cost(45, 5), List.of(TOKENS), Extras.NONE))).isEqualTo(15);
    assertThat(used(TOKENS)).isEqualTo(60);
  }

  @Test
  void belowTheLeastNothingIsTakenAndTheWaitIsThatOfTheLeast() {
    ask(50, List.of(TOKENS), Extras.NONE);
    Denied denied = (Denied) ask(new Cost(60, 20), List.of(TOKENS), Extras.NONE);
    assertThat(denied.retryAfterMicros()).isEqualTo(10 * SECOND);
    assertThat(denied.full()).containsExactly("tokens");
    assertThat(used(TOKENS)).isEqualTo(50);
    clock().advance(10 * SECOND);
    assertThat(granted(ask(new Cost(60, 20), List.of(TOKENS), Extras.NONE))).isEqualTo(20);
  }

  @Test
  void moreThanTheLimitHoldsMayBeWantedButNotNeeded() {
    assertThat(granted(ask(new Cost(Long.MAX_VALUE, 1), List.of(TOKENS), Extras.NONE)))
        .isEqualTo(60);
    assertThat(ask(new Cost(90, 61), List.of(TOKENS), Extras.NONE))
        .isInstanceOf(NeverAllowed.class);
  }

  @Test
  void theAmountIsTheSameInAllLimits() {
    Demand few = perMinute("few", 12);
    Extras quota = new Extras(List.of(quota("month", 10, false)), Optional.empty());
    assertThat(granted(ask(new Cost(50, 1), List.of(TOKENS, few), quota))).isEqualTo(10);
    assertThat(used(TOKENS)).isEqualTo(10);
    assertThat(used(few)).isEqualTo(10);
    assertThat(granted(ask(new Cost(50, 1), List.of(TOKENS, few), Extras.NONE))).isEqualTo(2);
    Denied denied = (Denied) ask(new Cost(50, 1), List.of(TOKENS), quota);
    assertThat(denied.full()).containsExactly("month");
  }

  @Test
  void aRequestHoldsOnePermitWhateverIsGranted() {
    Extras permit = held(List.of(permits(1)), false, false);
    assertThat(granted(ask(new Cost(100, 1), List.of(TOKENS), permit))).isEqualTo(60);
    clock().advance(2 * SECOND);
    Extras other = held(List.of(permits(1)), false, false);
    assertThat(((Denied) ask(new Cost(2, 1), List.of(TOKENS), other)).full())
        .containsExactly("permits");
  }

  @Test
  void aReservationIsOfWhatWasGranted() {
    ask(20, List.of(TOKENS), Extras.NONE);
    Extras extras = reserving();
    assertThat(granted(ask(new Cost(50, 10), List.of(TOKENS), extras))).isEqualTo(40);
    assertThat(granted(ask(new Cost(50, 10), List.of(TOKENS), extras))).isEqualTo(40);
    assertThat(used(TOKENS)).isEqualTo(60);
    assertThat(end(List.of(TOKENS), extras, new Ending.Settled(25)))
        .isEqualTo(new Ended(Status.SETTLED, false, 25));
    assertThat(used(TOKENS)).isEqualTo(45);
  }

  @Test
  void aTicketIsForTheLeast() {
    ask(60, List.of(TOKENS), Extras.NONE);
    Denied denied = (Denied) askForPlace(new Cost(60, 10), List.of(TOKENS), Optional.empty());
    assertThat(denied.estimate()).isFalse();
    assertThat(denied.retryAfterMicros()).isBetween(10 * SECOND, 11 * SECOND);
    clock().advance(denied.retryAfterMicros());
    Decision admitted = askForPlace(new Cost(60, 10), List.of(TOKENS), denied.ticket());
    assertThat(granted(admitted)).isEqualTo(10);
  }

  @Test
  void whatIsLeftIsDueToThoseThatWait() {
    ask(60, List.of(TOKENS), Extras.NONE);
    Denied waits = (Denied) askForPlace(10, List.of(TOKENS));
    assertThat(waits.estimate()).isFalse();
    clock().advance(8 * SECOND);
    assertThat(askForPlace(new Cost(8, 5), List.of(TOKENS), Optional.empty()))
        .isInstanceOf(Denied.class);
    clock().advance(waits.retryAfterMicros() - 8 * SECOND);
    assertThat(askForPlace(Cost.of(10), List.of(TOKENS), waits.ticket()))
        .isInstanceOf(Allowed.class);
  }

  private static long granted(Decision decision) {
    assertThat(decision).isInstanceOf(Allowed.class);
    return decision.remarks().granted().orElseThrow();
  }
}
