package io.weir.jobs.rule;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The state of a job at one instant. Immutable. Times are microseconds since the epoch, by the shared state's clock.
 *
 * @param polls how often its caller has asked; negative once the caller has received the final state
 */
public record Job(
    JobName name, Progress progress, Times times, Ahead ahead, Counted counted, long polls) {

  /**
   * Its state, and the tries until now.
   *
   * @param run the number of its run; a job that is begun again after a failure gets another one
   * @param attempts how often it was handed out for sending
   * @param receipt the place named by the upstream
   */
  public record Progress(JobState state, long run, int attempts, Optional<String> receipt) {}

  /**
   * The times of its states.
   *
   * @param sinceMicros when it entered its present state
   * @param nowMicros the instant of this state
   * @param story the states that it has entered
   */
  public record Times(long submittedMicros, long sinceMicros, long nowMicros, List<Step> story) {
    public Times {
      story = List.copyOf(story);
    }
  }

  /**
   * The jobs before it in the queue of its operation.
   *
   * @param position the number of jobs before it; empty if it does not wait
   * @param aheadAtFirst the number of jobs before it when it came, and how many of them waited to be sent
   */
  public record Ahead(OptionalLong position, AheadAtFirst aheadAtFirst, JobQueue queue) {}

  /**
   * The room that it takes in the shared state, and its charge.
   *
   * @param bytes its size: the largest allowed one, and its actual size after its end
   * @param charge its charge, if its end settles it
   */
  public record Counted(long bytes, Optional<JobCharge> charge) {}

  /** The jobs before a job when it came. */
  public record AheadAtFirst(long ahead, long dispatch) {}

  /** The time at which a job entered a state. */
  public record Step(JobState state, long atMicros) {}

  /** The time since it came. */
  public long elapsedMillis() {
    return Math.max(0, times.nowMicros() - times.submittedMicros()) / 1000;
  }

  /** The time since it entered its state. */
  public long sinceMillis() {
    return Math.max(0, times.nowMicros() - times.sinceMicros()) / 1000;
  }

  /** The time left, see {@link Eta}. */
  public long etaMillis(JobRule rule) {
    return Eta.rawMillis(
        rule, ahead.queue(), progress.state(), ahead.position().orElse(0), sinceMillis());
  }
}
