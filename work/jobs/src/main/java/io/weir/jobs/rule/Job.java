package io.weir.jobs.rule;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The state of a job at one instant. Immutable. Times are microseconds since the epoch, by the shared state's clock.
 *
 * @param id 32 hexadecimal digits, the same for the same request of the same API key
 * @param run the number of its run; a job that is begun again after a failure gets another one
 * @param attempts how often it was handed out for sending
 * @param nowMicros the instant of this state
 * @param position the number of jobs before it; empty if it does not wait
 * @param receipt the place named by the upstream
 * @param bytes the size that it is counted with: the largest allowed one, and its actual size after its end
 * @param aheadAtFirst the number of jobs before it when it came, and how many of them waited to be sent
 * @param charge its charge, if its end settles it
 * @param polls how often its caller has asked; negative once the caller has received the final state
 */
public record Job(
    String operation,
    String id,
    String tenant,
    String subject,
    String fingerprint,
    JobState state,
    long run,
    int attempts,
    long submittedMicros,
    long sinceMicros,
    long nowMicros,
    OptionalLong position,
    long bytes,
    Optional<String> receipt,
    AheadAtFirst aheadAtFirst,
    List<Step> story,
    Optional<JobCharge> charge,
    long polls,
    JobQueue queue) {

  public Job {
    story = List.copyOf(story);
  }

  /** The jobs before a job when it came. */
  public record AheadAtFirst(long ahead, long dispatch) {}

  /** The time at which a job entered a state. */
  public record Step(JobState state, long atMicros) {}

  /** The time since it came. */
  public long elapsedMillis() {
    return Math.max(0, nowMicros - submittedMicros) / 1000;
  }

  /** The time since it entered its state. */
  public long sinceMillis() {
    return Math.max(0, nowMicros - sinceMicros) / 1000;
  }

  /** The time left, see {@link Eta}. */
  public long etaMillis(JobRule rule) {
    return Eta.rawMillis(rule, queue, state, position.orElse(0), sinceMillis());
  }

  /** The tenant and the key, with a slash between them. */
  public String owner() {
    return tenant + "/" + subject;
  }

  /** Whether the API key is the one that submitted it. */
  public boolean isOf(String ofTenant, String ofSubject) {
    return tenant.equals(ofTenant) && subject.equals(ofSubject);
  }
}
