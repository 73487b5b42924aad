package io.weir.jobs.rule;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.jobs.rule.JobRule.ReceiptWait;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The tables of the fhevm relayer's document on dynamic retry-after, and of its unit tests. */
final class EtaTest {
  private static final JobQueue EMPTY = new JobQueue(0, 0, 0, 0, 0, 0);
  private static final Map<JobParameter, Long> TABLE = Map.of(
      JobParameter.DISPATCH_PER_SECOND, 10L,
      JobParameter.READINESS_CONCURRENCY, 50L,
      JobParameter.READINESS_TIME, 2000L,
      JobParameter.DISPATCH_TIME, 100L,
      JobParameter.PROCESSING_TIME, 4000L);
  private static final JobRule DUAL = rule(TABLE, true, false, false);

  private static JobRule rule(
      Map<JobParameter, Long> values, boolean isDual, boolean batches, boolean isLearned) {
    Optional<String> readiness = isDual ? Optional.of("/ready") : Optional.empty();
    return new JobRule(
        values,
        new JobRule.Waits(batches, isLearned, JobRule.RECEIPT_WAITS),
        new JobRule.Protocol(readiness, false, Set.of(), Set.of()));
  }

  private static long told(JobRule rule, JobState state, long ahead, long dispatch) {
    JobQueue queue = new JobQueue(0, dispatch, 0, 0, 0, 0);
    return Eta.shownSeconds(rule, state, Eta.rawMillis(rule, queue, state, ahead, 0));
  }

  @ParameterizedTest
  @CsvSource({"0, 3", "1, 3", "10, 4", "100, 15", "1000, 123"})
  void aJobThatIsOnlySentWaitsForThoseBeforeIt(long position, long seconds) {
    Map<JobParameter, Long> values = new EnumMap<>(TABLE);
    values.put(JobParameter.PROCESSING_TIME, 2000L);
    JobRule single = rule(values, false, false, false);
    assertThat(told(single, JobState.QUEUED, position, position)).isEqualTo(seconds);
  }

  @ParameterizedTest
  @CsvSource({"0, 5", "1, 6", "10, 7", "100, 20", "1000, 149"})
  void aJobThatIsCheckedFirstWaitsTwice(long position, long seconds) {
    assertThat(told(DUAL, JobState.QUEUED, position, position)).isEqualTo(seconds);
  }

  @ParameterizedTest
  @CsvSource({"0, 5", "1, 8", "10, 9", "100, 22", "1000, 173"})
  void withBatchesAsManyAsAreCheckedAtOnceTakeTheTimeOfOne(long position, long seconds) {
    JobRule batches = rule(TABLE, true, true, false);
    assertThat(told(batches, JobState.QUEUED, position, position)).isEqualTo(seconds);
  }

  @ParameterizedTest
  @CsvSource({"0, 8", "1, 8", "10, 9", "100, 20", "1000, 128"})
  void aJobThatIsBeingCheckedHasThatTimeBeforeIt(long size, long seconds) {
    assertThat(told(DUAL, JobState.CHECKING, 0, size)).isEqualTo(seconds);
  }

  @ParameterizedTest
  @CsvSource({"0, 5", "1, 6", "10, 7", "100, 17", "1000, 125"})
  void aJobThatIsReadyWaitsForThoseBeforeIt(long position, long seconds) {
    assertThat(told(DUAL, JobState.READY, position, position)).isEqualTo(seconds);
  }

  @ParameterizedTest
  @CsvSource({"2000, 3", "4000, 5"})
  void aJobInFlightTakesTheTimeOfTheUpstream(long processing, long seconds) {
    Map<JobParameter, Long> values = new EnumMap<>(TABLE);
    values.put(JobParameter.PROCESSING_TIME, processing);
    assertThat(told(rule(values, true, false, false), JobState.IN_FLIGHT, 0, 0)).isEqualTo(seconds);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 4",
    "30, 4",
    "59, 4",
    "60, 10",
    "90, 10",
    "119, 10",
    "120, 30",
    "200, 30",
    "299, 30",
    "300, 60",
    "899, 60",
    "900, 300",
    "5000, 300"
  })
  void aReceiptIsAskedForTheMoreSeldomTheOlderItIs(long elapsedSeconds, long seconds) {
    long raw = Eta.rawMillis(DUAL, EMPTY, JobState.RECEIPT_RECEIVED, 0, elapsedSeconds * 1000);
    assertThat(Eta.shownSeconds(DUAL, JobState.RECEIPT_RECEIVED, raw)).isEqualTo(seconds);
  }

  @Test
  void withoutStepsAReceiptIsAskedForAfterTheLeastTime() {
    JobRule rule = new JobRule(
        TABLE,
        new JobRule.Waits(false, false, List.of()),
        new JobRule.Protocol(Optional.empty(), false, Set.of(), Set.of()));
    assertThat(rule.receiptWaitMillis(100_000)).isEqualTo(1000);
  }

  @Test
  void beforeTheFirstStepThatOneCounts() {
    JobRule rule = new JobRule(
        TABLE,
        new JobRule.Waits(false, false, List.of(new ReceiptWait(60_000, 10_000))),
        new JobRule.Protocol(Optional.empty(), false, Set.of(), Set.of()));
    assertThat(rule.receiptWaitMillis(0)).isEqualTo(10_000);
  }

  @Test
  void nothingIsLeftOfWhatHasEnded() {
    for (JobState state : JobState.values()) {
      if (state.isEnd()) {
        assertThat(told(DUAL, state, 7, 7)).isZero();
      }
    }
  }

  // Size 100 at 20 a second, with a nominal time of 2 s and 250 ms: 7250 ms, with the margin 9 s.
  @Test
  void theRelayersUnitTests() {
    JobRule proof = rule(
        Map.of(JobParameter.PROCESSING_TIME, 2000L, JobParameter.DISPATCH_TIME, 250L),
        false,
        false,
        false);
    assertThat(Eta.rawMillis(proof, EMPTY, JobState.QUEUED, 100, 0)).isEqualTo(7250);
    assertThat(told(proof, JobState.QUEUED, 100, 100)).isEqualTo(9);
    JobRule bounded = rule(
        Map.of(JobParameter.DISPATCH_PER_SECOND, 1L, JobParameter.MAX_WAIT, 10_000L),
        false,
        false,
        false);
    assertThat(told(bounded, JobState.QUEUED, 10_000, 10_000)).isEqualTo(10);
    JobRule batches = rule(
        Map.of(JobParameter.READINESS_CONCURRENCY, 250L, JobParameter.READINESS_TIME, 4000L),
        true,
        true,
        false);
    long other = Eta.rawMillis(batches, EMPTY, JobState.QUEUED, 0, 0);
    assertThat(Eta.rawMillis(batches, EMPTY, JobState.QUEUED, 500, 0) - other).isEqualTo(8000);
  }

  // The document means 1.2; binary fractions make it a little more, and every 2500 ms a second.
  @Test
  void theMarginIsExact() {
    for (long millis = 0; millis <= 300_000; millis += 2500) {
      JobRule rule = rule(Map.of(JobParameter.MAX_WAIT, 3_600_000L), false, false, false);
      assertThat(Eta.shownSeconds(rule, JobState.IN_FLIGHT, millis))
          .isEqualTo(Math.max(1, millis * 12 / 10_000));
    }
  }

  @Test
  void aLessonCountsOnceItIsThere() {
    JobRule learned = rule(TABLE, true, false, true);
    JobQueue seen = new JobQueue(0, 0, 0, 0, 300_500, 700_500);
    assertThat(Eta.rawMillis(learned, EMPTY, JobState.CHECKING, 0, 0)).isEqualTo(6100);
    assertThat(Eta.rawMillis(learned, seen, JobState.CHECKING, 0, 0)).isEqualTo(301 + 100 + 701);
    assertThat(Eta.rawMillis(DUAL, seen, JobState.CHECKING, 0, 0)).isEqualTo(6100);
  }

  @Test
  void theLargestNumbersDoNotOverflow() {
    JobRule rule = rule(
        Map.of(JobParameter.DISPATCH_PER_SECOND, 1L, JobParameter.MARGIN, 1000L),
        true,
        true,
        false);
    assertThat(told(rule, JobState.QUEUED, 1_000_000, 1_000_000)).isEqualTo(300);
  }
}
