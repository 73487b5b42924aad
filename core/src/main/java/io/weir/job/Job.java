package io.weir.job;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A job as it stands. Immutable. Times are microseconds since the epoch, by the shared state's clock.
 *
 * @param id 32 hexadecimal digits, the same for the same request of the same API key
 * @param run the number by which it was begun: another one each time, also where it is begun anew after it had failed
 * @param attempts how often it was handed out to be sent
 * @param nowMicros when this was seen
 * @param position jobs before it; nothing where it does not wait
 * @param receipt the place that the upstream has named
 * @param bytes what it is counted with: the longest that it may have, and after its end what it has
 * @param aheadAtFirst how many were before it when it came, and how many of them waited to be sent
 * @param polls how often its caller has asked; negative where he has heard how it ended
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
    long polls,
    JobQueue queue) {

  public Job {
    story = List.copyOf(story);
  }

  /** What was before a job when it came. */
  public record AheadAtFirst(long ahead, long dispatch) {}

  /** When a job came to a state. */
  public record Step(JobState state, long atMicros) {}

  /** How long ago it came. */
  public long elapsedMillis() {
    return Math.max(0, nowMicros - submittedMicros) / 1000;
  }

  /** How long it has been in its state. */
  public long sinceMillis() {
    return Math.max(0, nowMicros - sinceMicros) / 1000;
  }

  /** The time left, see {@link Eta}. */
  public long etaMillis(JobRule rule) {
    return Eta.rawMillis(rule, queue, state, position.orElse(0), sinceMillis());
  }

  /** Its tenant and its key, with a slash between. */
  public String owner() {
    return tenant + "/" + subject;
  }

  /** Whether the API key is the one that submitted it. */
  public boolean isOf(String ofTenant, String ofSubject) {
    return tenant.equals(ofTenant) && subject.equals(ofSubject);
  }
}
