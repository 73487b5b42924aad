package io.weir.windows;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.testkit.ManualClock;
import io.weir.windows.WindowAnswer.Blocked;
import io.weir.windows.WindowAnswer.Claimed;
import io.weir.windows.WindowAnswer.Done;
import io.weir.windows.WindowAnswer.Full;
import io.weir.windows.WindowAnswer.NotNext;
import io.weir.windows.WindowAnswer.Nothing;
import io.weir.windows.WindowAnswer.Opened;
import io.weir.windows.WindowAnswer.Range;
import io.weir.windows.WindowAnswer.Refused;
import io.weir.windows.WindowAnswer.Unknown;
import io.weir.windows.WindowStore.Choice;
import io.weir.windows.WindowStore.End;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The promises of every {@link WindowStore}. The test class of a store only makes the store. */
abstract class WindowStoreContract {
  private static final long SECOND = 1_000_000;
  private static final long LEASE = 30 * SECOND;
  private static final long BACKOFF = SECOND;
  private static final long HOUR = 3600 * SECOND;

  private final ManualClock clock = new ManualClock();
  private @Nullable WindowStore made;
  private int ids;

  /** Makes an empty store on this clock. */
  abstract WindowStore emptyStore(ManualClock clock);

  @BeforeEach
  void makeStore() {
    made = emptyStore(clock);
  }

  private WindowStore store() {
    return requireNonNull(made);
  }

  private static WindowRule rule(int width, boolean keepsResults) {
    return rule(width, 4, LEASE, keepsResults);
  }

  private static WindowRule rule(int width, int attempts, long lease, boolean keepsResults) {
    return new WindowRule("w", width, attempts, lease, BACKOFF, keepsResults);
  }

  private WindowAnswer open(WindowRule rule, long from, long to) {
    return store().open(rule, from, to).toCompletableFuture().join();
  }

  private void openTens(WindowRule rule, int count) {
    for (long i = 0; i < count; i++) {
      assertThat(open(rule, 10 * i, 10 * i + 9)).isInstanceOf(Opened.class);
    }
  }

  private WindowAnswer claim(WindowRule rule) {
    return store().claim(rule, "c" + ids++).toCompletableFuture().join();
  }

  private Claimed claimed(WindowRule rule) {
    return (Claimed) claim(rule);
  }

  private WindowAnswer end(WindowRule rule, Claimed claimed, End how, String note) {
    return end(rule, claimed.from(), claimed.claim(), how, note);
  }

  private WindowAnswer end(WindowRule rule, long from, String id, End how, String note) {
    return store().end(rule, from, id, how, note).toCompletableFuture().join();
  }

  private WindowAnswer decide(WindowRule rule, Choice choice, long number) {
    return store().decide(rule, choice, number).toCompletableFuture().join();
  }

  private List<Range> look(WindowRule rule, boolean isOfFailed) {
    return store().look(rule, isOfFailed, 10).toCompletableFuture().join().ranges();
  }

  private long waitOfWorker(WindowRule rule) {
    return ((Nothing) claim(rule)).waitMicros();
  }

  private static void done(WindowAnswer answer, String state) {
    assertThat(answer).isInstanceOf(Done.class);
    assertThat(((Done) answer).state()).isEqualTo(state);
  }

  private static void refused(WindowAnswer answer, String state) {
    assertThat(answer).isInstanceOf(Refused.class);
    assertThat(((Refused) answer).state()).isEqualTo(state);
  }

  @Nested
  class Opening {
    @Test
    void rangesFollowEachOther() {
      WindowRule rule = rule(3, false);
      assertThat(((Opened) open(rule, 1000, 1099)).isNew()).isTrue();
      assertThat(open(rule, 1200, 1299)).isInstanceOf(NotNext.class);
      assertThat(open(rule, 1050, 1149)).isInstanceOf(NotNext.class);
      WindowAnswer second = open(rule, 1100, 1199);
      assertThat(second.view().next()).isEqualTo(1200);
      assertThat(second.view().watermark()).isEqualTo(1000);
    }

    @Test
    void anOpenRangeMayBeOpenedAgainWithTheSameEnd() {
      WindowRule rule = rule(1, false);
      openTens(rule, 1);
      assertThat(((Opened) open(rule, 0, 9)).isNew()).isFalse();
      assertThat(open(rule, 0, 8)).isInstanceOf(NotNext.class);
    }

    @Test
    void aCommittedRangeMayBeOpenedAgainAndAnEarlierOneMayNot() {
      WindowRule rule = rule(1, false);
      open(rule, 1000, 1099);
      end(rule, claimed(rule), End.FINISH, "");
      assertThat(((Opened) open(rule, 1000, 1099)).isNew()).isFalse();
      assertThat(open(rule, 900, 999)).isInstanceOf(NotNext.class);
    }

    @Test
    void noMoreRangesAreOpenThanTheWidth() {
      WindowRule rule = rule(2, false);
      openTens(rule, 2);
      assertThat(open(rule, 20, 29)).isInstanceOf(Full.class);
      end(rule, claimed(rule), End.FINISH, "");
      assertThat(open(rule, 20, 29)).isInstanceOf(Opened.class);
    }

    @Test
    void aWiderRuleOpensMoreAndANarrowerOneClosesNone() {
      openTens(rule(4, false), 4);
      assertThat(open(rule(2, false), 40, 49)).isInstanceOf(Full.class);
      assertThat(open(rule(5, false), 40, 49).view().open()).isEqualTo(5);
    }

    @Test
    void aFailedRangeAtTheWatermarkBlocksAFullWindow() {
      WindowRule rule = rule(2, 1, LEASE, false);
      openTens(rule, 2);
      end(rule, claimed(rule), End.FAIL, "");
      assertThat(((Blocked) open(rule, 20, 29)).from()).isZero();
    }
  }

  @Nested
  class Claiming {
    @Test
    void theLowestRangeComesFirst() {
      WindowRule rule = rule(3, false);
      openTens(rule, 3);
      Claimed first = claimed(rule);
      assertThat(claimed(rule).from()).isEqualTo(10);
      end(rule, first, End.RELEASE, "");
      assertThat(claimed(rule).from()).isZero();
    }

    @Test
    void aLeaseEndsExactlyAtItsEnd() {
      WindowRule rule = rule(1, false);
      openTens(rule, 1);
      claimed(rule);
      clock.advance(LEASE - 1);
      assertThat(claim(rule)).isInstanceOf(Nothing.class);
      clock.advance(1);
      assertThat(claimed(rule).attempt()).isEqualTo(2);
    }

    @Test
    void aRenewedLeaseLastsFromTheRenewal() {
      WindowRule rule = rule(1, false);
      openTens(rule, 1);
      Claimed held = claimed(rule);
      clock.advance(LEASE - 1);
      done(end(rule, held, End.RENEW, ""), "claimed");
      clock.advance(LEASE - 1);
      assertThat(waitOfWorker(rule)).isEqualTo(10_000);
      clock.advance(1);
      claimed(rule);
    }

    @Test
    void aLostClaimCanDoNothing() {
      WindowRule rule = rule(1, false);
      openTens(rule, 1);
      Claimed dead = claimed(rule);
      clock.advance(LEASE);
      Claimed again = claimed(rule);
      for (End how : End.values()) {
        refused(end(rule, dead, how, ""), "claimed");
      }
      done(end(rule, again, End.FINISH, ""), "committed");
      for (End how : End.values()) {
        refused(end(rule, dead, how, ""), "committed");
      }
    }

    @Test
    void aRangeOfDeadWorkersFailsAfterItsAttempts() {
      WindowRule rule = rule(1, 2, LEASE, false);
      openTens(rule, 1);
      for (int i = 0; i < 2; i++) {
        claimed(rule);
        clock.advance(LEASE);
      }
      assertThat(look(rule, true))
          .containsExactly(new Range(0, 9, "failed", 2, "the lease is over"));
    }

    @Test
    void claimsTakenBackAreNoAttempts() {
      WindowRule rule = rule(2, false);
      openTens(rule, 2);
      Claimed unheard = claimed(rule);
      Claimed heard = claimed(rule);
      List<String> ids = List.of(unheard.claim(), "other");
      assertThat(store().takeBack(rule, ids).toCompletableFuture().join()).isEqualTo(1);
      refused(end(rule, unheard, End.FINISH, ""), "todo");
      Claimed again = claimed(rule);
      assertThat(again.from()).isEqualTo(unheard.from());
      assertThat(again.attempt()).isEqualTo(1);
      done(end(rule, heard, End.FINISH, ""), "done");
      ids = List.of(heard.claim());
      assertThat(store().takeBack(rule, ids).toCompletableFuture().join()).isZero();
    }
  }

  @Nested
  class Ending {
    @Test
    void aReleaseIsNoAttempt() {
      WindowRule rule = rule(1, 1, LEASE, false);
      openTens(rule, 1);
      for (int i = 0; i < 3; i++) {
        Claimed held = claimed(rule);
        assertThat(held.attempt()).isEqualTo(1);
        done(end(rule, held, End.RELEASE, ""), "todo");
        done(end(rule, held, End.RELEASE, ""), "todo");
      }
    }

    @Test
    void eachFailureDoublesTheWaitUpToAMinute() {
      WindowRule rule = rule(1, 10, LEASE, false);
      openTens(rule, 1);
      List<Long> waits = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        Claimed held = claimed(rule);
        assertThat(held.attempt()).isEqualTo(i + 1);
        done(end(rule, held, End.FAIL, "no answer"), "waiting");
        done(end(rule, held, End.FAIL, "no answer"), "waiting");
        long wait = Math.min(60 * SECOND, BACKOFF << i);
        clock.advance(wait - 1);
        assertThat(claim(rule)).isInstanceOf(Nothing.class);
        clock.advance(1);
        waits.add(wait);
      }
      assertThat(waits).endsWith(32 * SECOND, 60 * SECOND, 60 * SECOND);
    }

    @Test
    void theLastFailureIsKeptWithItsReason() {
      WindowRule rule = rule(1, 1, LEASE, false);
      openTens(rule, 1);
      done(end(rule, claimed(rule), End.FAIL, "no answer"), "failed");
      assertThat(claim(rule)).isInstanceOf(Nothing.class);
      assertThat(look(rule, true)).containsExactly(new Range(0, 9, "failed", 1, "no answer"));
    }

    @Test
    void aFinishMayBeRepeatedByItsClaimAlone() {
      WindowRule rule = rule(1, false);
      openTens(rule, 1);
      Claimed held = claimed(rule);
      done(end(rule, held, End.FINISH, ""), "committed");
      clock.advance(9 * 60 * SECOND);
      done(end(rule, held, End.FINISH, ""), "committed");
      refused(end(rule, 0, "other", End.FINISH, ""), "committed");
      refused(end(rule, 5, held.claim(), End.FINISH, ""), "committed");
      for (End how : List.of(End.FAIL, End.RENEW, End.RELEASE)) {
        refused(end(rule, held, how, ""), "committed");
      }
    }

    @Test
    void aRangeThatWasNeverOpenedIsUnknown() {
      WindowRule rule = rule(1, false);
      assertThat(end(rule, 0, "c", End.FINISH, "")).isInstanceOf(Unknown.class);
      openTens(rule, 1);
      assertThat(end(rule, 10, "c", End.FINISH, "")).isInstanceOf(Unknown.class);
    }
  }

  @Nested
  class Committing {
    @Test
    void theWatermarkMovesInOrder() {
      WindowRule rule = rule(3, false);
      openTens(rule, 3);
      Claimed first = claimed(rule);
      Claimed next = claimed(rule);
      WindowAnswer second = end(rule, next, End.FINISH, "");
      done(second, "done");
      assertThat(second.view().watermark()).isZero();
      done(end(rule, next, End.FINISH, ""), "done");
      WindowAnswer both = end(rule, first, End.FINISH, "");
      done(both, "committed");
      assertThat(both.view().watermark()).isEqualTo(20);
      assertThat(both.view().open()).isEqualTo(1);
    }

    @Test
    void keptResultsAreListedInOrderUntilThePlannerCommits() {
      WindowRule rule = rule(3, true);
      openTens(rule, 3);
      Claimed first = claimed(rule);
      end(rule, claimed(rule), End.FINISH, "second");
      assertThat(look(rule, false)).isEmpty();
      assertThat(end(rule, first, End.FINISH, "first").view().watermark()).isZero();
      assertThat(look(rule, false))
          .containsExactly(
              new Range(0, 9, "done", 1, "first"), new Range(10, 19, "done", 1, "second"));
      assertThat(open(rule, 30, 39)).isInstanceOf(Full.class);
      for (long wrong : new long[] {5, 29, 39}) {
        refused(decide(rule, Choice.COMMIT, wrong), "");
      }
      for (int i = 0; i < 2; i++) {
        WindowAnswer committed = decide(rule, Choice.COMMIT, 9);
        done(committed, "committed");
        assertThat(committed.view().watermark()).isEqualTo(10);
      }
      assertThat(look(rule, false)).extracting(Range::note).containsExactly("second");
      assertThat(open(rule, 30, 39)).isInstanceOf(Opened.class);
    }

    @Test
    void aNumberBeforeTheFirstRangeWasNeverCommitted() {
      WindowRule rule = rule(1, false);
      open(rule, 1000, 1099);
      refused(decide(rule, Choice.COMMIT, 99), "committed");
    }

    @Test
    void aRuleThatKeepsNoResultsCommitsThoseThatWaited() {
      openTens(rule(2, true), 2);
      end(rule(2, true), claimed(rule(2, true)), End.FINISH, "kept");
      look(rule(2, false), true); // commits nothing
      assertThat(look(rule(2, true), false)).extracting(Range::note).containsExactly("kept");
      assertThat(open(rule(2, false), 20, 29).view().watermark()).isEqualTo(10);
    }
  }

  @Nested
  class Deciding {
    @Test
    void onlyAFailedRangeCanBeSkipped() {
      WindowRule rule = rule(2, 1, LEASE, false);
      openTens(rule, 2);
      refused(decide(rule, Choice.SKIP, 0), "todo");
      assertThat(decide(rule, Choice.SKIP, 99)).isInstanceOf(Unknown.class);
      end(rule, claimed(rule), End.FAIL, "");
      end(rule, claimed(rule), End.FINISH, "");
      WindowAnswer skipped = decide(rule, Choice.SKIP, 0);
      done(skipped, "committed");
      assertThat(skipped.view().watermark()).isEqualTo(20);
      assertThat(skipped.view().failed()).isZero();
      done(decide(rule, Choice.SKIP, 0), "committed");
      refused(end(rule, 0, "-", End.FINISH, ""), "committed");
      refused(decide(rule, Choice.RETRY, 0), "committed");
    }

    @Test
    void aRetriedRangeHasAllItsAttemptsAgain() {
      WindowRule rule = rule(1, 1, LEASE, false);
      openTens(rule, 1);
      end(rule, claimed(rule), End.FAIL, "");
      done(decide(rule, Choice.RETRY, 0), "todo");
      done(decide(rule, Choice.RETRY, 0), "todo");
      assertThat(claimed(rule).attempt()).isEqualTo(1);
    }

    @Test
    void aForgottenWindowBeginsAnywhere() {
      WindowRule rule = rule(1, false);
      openTens(rule, 1);
      done(decide(rule, Choice.FORGET, 0), "");
      assertThat(open(rule, 500, 599).view().watermark()).isEqualTo(500);
    }
  }

  @Nested
  class Times {
    @Test
    void aClockThatIsSetBackLengthensNoLeaseAndNoWait() {
      WindowRule rule = rule(2, false);
      openTens(rule, 2);
      claimed(rule);
      end(rule, claimed(rule), End.FAIL, "");
      clock.advance(-HOUR);
      assertThat(claim(rule)).isInstanceOf(Nothing.class);
      clock.advance(BACKOFF);
      assertThat(claimed(rule).from()).isEqualTo(10);
      clock.advance(LEASE - BACKOFF);
      assertThat(claimed(rule).from()).isZero();
    }

    @Test
    void aShorterLeaseOfANewRuleIsForNewClaims() {
      WindowRule longer = rule(1, 4, 20 * LEASE, false);
      openTens(longer, 1);
      Claimed held = claimed(longer);
      clock.advance(2 * LEASE);
      assertThat(claim(rule(1, false))).isInstanceOf(Nothing.class);
      done(end(rule(1, false), held, End.RENEW, ""), "claimed");
      clock.advance(LEASE);
      assertThat(claim(rule(1, false))).isInstanceOf(Claimed.class);
    }

    @Test
    void waitsFollowTheTimeBetweenRangesAndGrowWithAPause() {
      WindowRule rule = rule(1, false);
      assertThat(waitOfWorker(rule)).isEqualTo(SECOND);
      for (int i = 0; i < 20; i++) {
        open(rule, i, i);
        Claimed held = claimed(rule);
        clock.advance(50_000);
        end(rule, held, End.FINISH, "");
      }
      assertThat(waitOfWorker(rule)).isBetween(40_000L, 50_000L);
      clock.advance(SECOND);
      assertThat(waitOfWorker(rule)).isEqualTo(SECOND / 4);
      clock.advance(HOUR);
      assertThat(waitOfWorker(rule)).isEqualTo(SECOND);
    }

    @Test
    void anIdleTimeDoesNotMakeWaitsLong() {
      WindowRule rule = rule(1, false);
      for (int i = 0; i < 20; i++) {
        open(rule, i, i);
        clock.advance(i == 15 ? HOUR : 100_000);
        end(rule, claimed(rule), End.FINISH, "");
      }
      assertThat(waitOfWorker(rule)).isLessThan(2 * 100_000);
    }
  }
}
