package io.weir.jobs.rule;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The states of a job, in order; {@code work/jobs/src/main/lua/lib/job_states.lua} has the same. */
public enum JobState {
  /** It waits for its turn: to be checked, or to be sent if nothing is checked. */
  QUEUED,
  /** The upstream is being asked whether it is ready for this job. */
  CHECKING,
  /** The upstream is ready; it waits for its turn to be sent. */
  READY,
  /** It is sent, or about to be. */
  IN_FLIGHT,
  /** The upstream took it and named a place where its result will be. */
  RECEIPT_RECEIVED,
  /** The upstream answered, with any content. */
  COMPLETED,
  /** There was no answer in time. */
  TIMED_OUT,
  /** There will be no answer. */
  FAILED,
  /** Its caller cancelled it. */
  CANCELLED;

  private static final Set<JobState> ENDS = EnumSet.of(COMPLETED, TIMED_OUT, FAILED, CANCELLED);
  private static final Map<JobState, Set<JobState>> NEXT = Map.of(
      QUEUED, EnumSet.of(CHECKING, IN_FLIGHT, COMPLETED, TIMED_OUT, FAILED, CANCELLED),
      CHECKING, EnumSet.of(QUEUED, READY, COMPLETED, TIMED_OUT, FAILED, CANCELLED),
      READY, EnumSet.of(IN_FLIGHT, COMPLETED, TIMED_OUT, FAILED, CANCELLED),
      IN_FLIGHT,
          EnumSet.of(QUEUED, READY, RECEIPT_RECEIVED, COMPLETED, TIMED_OUT, FAILED, CANCELLED),
      RECEIPT_RECEIVED, EnumSet.of(COMPLETED, TIMED_OUT, FAILED, CANCELLED));

  /** The name in answers and in Redis. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The state of this name. */
  public static Optional<JobState> of(String word) {
    for (JobState state : values()) {
      if (state.word().equals(word)) {
        return Optional.of(state);
      }
    }
    return Optional.empty();
  }

  /** All names, with commas between. */
  public static String words() {
    return Stream.of(values()).map(JobState::word).collect(Collectors.joining(", "));
  }

  /** Whether it is a final state. */
  public boolean isEnd() {
    return ENDS.contains(this);
  }

  /** The possible next states. */
  public Set<JobState> next() {
    return NEXT.getOrDefault(this, Set.of());
  }
}
