package io.weir.state.keep;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Renewals of leases, by a clock that only the test moves. */
final class LeaseRenewalTest {
  private static final long LEASE_MILLIS = 3000;
  private static final int GROUP = LeaseTerms.JOB.renewedAtOnce();

  private final ManualLeaseTime time = new ManualLeaseTime();
  private final List<List<String>> renewed = new ArrayList<>();
  private final Set<String> gone = new HashSet<>();
  private final List<String> lost = new ArrayList<>();
  private boolean isAway;
  private long leaseMillis = LEASE_MILLIS;
  private final LeaseRenewal<String> kept = new LeaseRenewal<>(
      LeaseTerms.JOB,
      time,
      new LeaseRenewal.Renewal<>(lease -> leaseMillis * 1000, this::renew, lost::add));

  private CompletionStage<List<Boolean>> renew(List<String> group) {
    renewed.add(List.copyOf(group));
    return isAway
        ? CompletableFuture.failedFuture(new IllegalStateException("away"))
        : CompletableFuture.completedFuture(
            group.stream().map(one -> !gone.contains(one)).toList());
  }

  // One tick each millisecond.
  private void pass(long millis) {
    for (long i = 0; i < millis; i++) {
      time.pass(1);
      kept.renewDue();
    }
  }

  @Test
  void aLeaseIsRenewedAfterEachThirdOfItsTime() {
    kept.keep("a");
    pass(LEASE_MILLIS / 3 - 1);
    assertThat(renewed).isEmpty();
    pass(1);
    assertThat(renewed).containsExactly(List.of("a"));
    pass(LEASE_MILLIS / 3 - 1);
    assertThat(renewed).hasSize(1);
    pass(1);
    assertThat(renewed).hasSize(2);
  }

  @Test
  void leasesDueSoonAreRenewedTogetherWithOneThatIsDueAndTheEarliestComesFirst() {
    kept.keep("first");
    pass(400);
    kept.keep("second");
    pass(200);
    kept.keep("late");
    pass(400);
    assertThat(renewed).containsExactly(List.of("first", "second"));
    pass(600);
    assertThat(renewed).hasSize(2);
    assertThat(renewed.get(1)).containsExactlyInAnyOrder("first", "second", "late");
    assertThat(renewed.get(1).get(0)).isEqualTo("late");
  }

  @Test
  void renewalsAreMadeInGroups() {
    IntStream.range(0, 2 * GROUP + 1).forEach(i -> kept.keep("job-" + i));
    pass(LEASE_MILLIS / 3);
    assertThat(renewed).extracting(List::size).containsExactly(GROUP, GROUP, 1);
    assertThat(renewed.stream().flatMap(List::stream)).doesNotHaveDuplicates();
  }

  @Test
  void aLeaseThatEndedIsNotRenewed() {
    kept.keep("a");
    kept.keep("b");
    assertThat(kept.drop("a")).isTrue();
    assertThat(kept.drop("a")).isFalse();
    pass(LEASE_MILLIS);
    assertThat(renewed).hasSize(3).allMatch(List.of("b")::equals);
    assertThat(kept.drop("b")).isTrue();
    assertThat(kept.isEmpty()).isTrue();
    pass(LEASE_MILLIS);
    assertThat(renewed).hasSize(3);
  }

  @Test
  void aLostLeaseIsReportedAtEachRenewalUntilItIsDropped() {
    kept.keep("a");
    kept.keep("b");
    gone.add("b");
    pass(LEASE_MILLIS / 3 * 2);
    assertThat(lost).containsExactly("b", "b");
    kept.drop("b");
    pass(LEASE_MILLIS);
    assertThat(lost).hasSize(2);
  }

  @Test
  void whileTheSharedStateIsAwayEachThirdIsTriedOnceAndNothingIsLost() {
    kept.keep("a");
    isAway = true;
    pass(LEASE_MILLIS * 2);
    assertThat(renewed).hasSize(6);
    assertThat(lost).isEmpty();
    isAway = false;
    gone.add("a"); // the lease has ended there by itself
    pass(LEASE_MILLIS / 3);
    assertThat(lost).containsExactly("a");
  }

  @Test
  void aChangedLengthCountsFromTheNextRenewalOn() {
    kept.keep("a");
    leaseMillis = LEASE_MILLIS / 10;
    pass(LEASE_MILLIS / 3);
    assertThat(renewed).hasSize(1);
    pass(LEASE_MILLIS / 3);
    assertThat(renewed).hasSize(11);
  }

  @Test
  void leasesAreGivenBackWhenTheNodeStops() {
    kept.keep("a");
    kept.keep("b");
    List<String> ended = new ArrayList<>();
    kept.all().forEach(lease -> {
      kept.drop(lease);
      ended.add(lease);
    });
    assertThat(ended).containsExactlyInAnyOrder("a", "b");
    assertThat(kept.size()).isZero();
    pass(LEASE_MILLIS);
    assertThat(renewed).isEmpty();
  }
}
