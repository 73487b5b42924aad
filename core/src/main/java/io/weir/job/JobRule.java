package io.weir.job;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * How an operation's jobs are done. Immutable.
 *
 * @param values of the parameters; one that is absent has its initial value
 * @param readinessPath where the upstream is asked whether it is ready for a job; without it nothing is checked
 * @param batches whether as many as are checked at once are checked as one, after each other
 * @param isLearned whether the times in an eta are those that were seen, once there are some
 * @param takesCallbacks whether the upstream may bring results by itself
 * @param receiptWaits after which time how long to wait, once the upstream has taken a job; ascending
 * @param failures statuses of the upstream with which a job has failed: 404, or 5xx for all of a hundred
 * @param headers that go with a job to the upstream, beside those of its body; in lower case
 */
public record JobRule(
    Map<JobParameter, Long> values,
    Optional<String> readinessPath,
    boolean batches,
    boolean isLearned,
    boolean takesCallbacks,
    List<ReceiptWait> receiptWaits,
    Set<String> failures,
    Set<String> headers) {

  /** The steps where a policy names none. */
  public static final List<ReceiptWait> RECEIPT_WAITS = List.of(
      new ReceiptWait(0, 4000),
      new ReceiptWait(60_000, 10_000),
      new ReceiptWait(120_000, 30_000),
      new ReceiptWait(300_000, 60_000),
      new ReceiptWait(900_000, 300_000));

  /** What is a failure where a policy does not say it. */
  public static final Set<String> FAILURES = Set.of("5xx");

  private static final int HUNDRED = 100;
  private static final int LAST_HUNDRED = 5;

  /** What holds where a policy says nothing but that there are jobs. */
  public static final JobRule DEFAULT = new JobRule(
      Map.of(), Optional.empty(), false, false, false, RECEIPT_WAITS, FAILURES, Set.of());

  public JobRule {
    values = Map.copyOf(values);
    receiptWaits = List.copyOf(receiptWaits);
    failures = Set.copyOf(failures);
    headers = Set.copyOf(headers);
  }

  /**
   * A step of waiting for what cannot be foreseen.
   *
   * @param afterMillis since the upstream took the job
   * @param waitMillis what is told from then on
   */
  public record ReceiptWait(long afterMillis, long waitMillis) {}

  /** The value of a parameter. */
  public long value(JobParameter parameter) {
    return values.getOrDefault(parameter, parameter.initial());
  }

  /** The same in microseconds, of a duration. */
  public long micros(JobParameter parameter) {
    return value(parameter) * 1000;
  }

  /** Whether the upstream is asked first whether it is ready. */
  public boolean isDual() {
    return readinessPath.isPresent();
  }

  /** Whether a job has failed whose upstream answered with this status; one above 599 is as 5xx (RFC 9110, section 15). */
  public boolean isFailure(int status) {
    return failures.contains(Integer.toString(status))
        || failures.contains(Math.min(LAST_HUNDRED, status / HUNDRED) + "xx");
  }

  /** How long to wait after the upstream took a job so long ago: the last step that has begun. */
  public long receiptWaitMillis(long elapsedMillis) {
    long wait = receiptWaits.isEmpty()
        ? value(JobParameter.MIN_WAIT)
        : receiptWaits.get(0).waitMillis();
    for (ReceiptWait step : receiptWaits) {
      if (step.afterMillis() <= elapsedMillis) {
        wait = step.waitMillis();
      }
    }
    return wait;
  }
}
