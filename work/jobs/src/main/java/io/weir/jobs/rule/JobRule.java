package io.weir.jobs.rule;

import io.weir.core.policy.OperationRule;
import io.weir.core.policy.PartKey;
import io.weir.core.policy.Policy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The settings for the jobs of an operation. Immutable.
 *
 * @param values of the parameters; an absent parameter has its default
 * @param waits the foresight of waits
 * @param protocol the messages between Weir and the upstream
 */
public record JobRule(Map<JobParameter, Long> values, Waits waits, Protocol protocol) {

  /**
   * The foresight of the waits of callers.
   *
   * @param batches whether, in etas, jobs that are checked at once take the time of one check, batch after batch
   * @param isLearned whether etas use observed times, once there are some
   * @param receiptWaits the waits after the upstream took a job, by elapsed time; ascending
   */
  public record Waits(boolean batches, boolean isLearned, List<ReceiptWait> receiptWaits) {
    public Waits {
      receiptWaits = List.copyOf(receiptWaits);
    }
  }

  /**
   * The messages about a job between Weir and the upstream.
   *
   * @param readinessPath the path at which the upstream reports whether it is ready for a job; if empty, nothing is
   *     checked
   * @param takesCallbacks whether the upstream may deliver results by itself
   * @param failures statuses of the upstream that mean that a job has failed: 404, or 5xx for a whole class
   * @param headers the headers that are sent to the upstream with a job, besides those of its body; in lower case
   */
  public record Protocol(
      Optional<String> readinessPath,
      boolean takesCallbacks,
      Set<String> failures,
      Set<String> headers) {
    public Protocol {
      failures = Set.copyOf(failures);
      headers = Set.copyOf(headers);
    }
  }

  /** The settings for the jobs of an operation. */
  public static final PartKey<JobRule> PART = new PartKey<>("job", JobRule.class);

  /** The default steps. */
  public static final List<ReceiptWait> RECEIPT_WAITS = List.of(
      new ReceiptWait(0, 4000),
      new ReceiptWait(60_000, 10_000),
      new ReceiptWait(120_000, 30_000),
      new ReceiptWait(300_000, 60_000),
      new ReceiptWait(900_000, 300_000));

  /** The default failures. */
  public static final Set<String> FAILURES = Set.of("5xx");

  private static final int HUNDRED = 100;
  private static final int LAST_HUNDRED = 5;
  private static final long LEAST_RECEIPT_WAIT_MILLIS = 1000;

  /** The rule of a policy that only says that there are jobs. */
  public static final JobRule DEFAULT = new JobRule(
      Map.of(),
      new JobRule.Waits(false, false, RECEIPT_WAITS),
      new JobRule.Protocol(Optional.empty(), false, FAILURES, Set.of()));

  public JobRule {
    values = Map.copyOf(values);
  }

  /** The settings of an operation; empty if its requests are not executed as jobs. */
  public static Optional<JobRule> of(OperationRule rule) {
    return rule.parts().get(PART);
  }

  /** The operations of a policy whose requests are executed as jobs. */
  public static Set<String> operations(Policy policy) {
    return policy.routing().rules().stream()
        .filter(rule -> of(rule).isPresent())
        .map(OperationRule::name)
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * A step of waiting while the time left cannot be foreseen.
   *
   * @param afterMillis the time since the upstream took the job
   * @param waitMillis the reported wait from then on
   */
  public record ReceiptWait(long afterMillis, long waitMillis) {}

  /** The value of a parameter. */
  public long value(JobParameter parameter) {
    return values.getOrDefault(parameter, parameter.initial());
  }

  /** The value of a duration parameter, in microseconds. */
  public long micros(JobParameter parameter) {
    return value(parameter) * 1000;
  }

  /** Whether the upstream is asked for its readiness first. */
  public boolean isDual() {
    return protocol.readinessPath().isPresent();
  }

  /** Whether an answer with this status makes the job fail; a status above 599 counts as 5xx (RFC 9110, section 15). */
  public boolean isFailure(int status) {
    return protocol.failures().contains(Integer.toString(status))
        || protocol.failures().contains(Math.min(LAST_HUNDRED, status / HUNDRED) + "xx");
  }

  /** The wait after the upstream took a job {@code elapsedMillis} ago: that of the last step that has begun. */
  public long receiptWaitMillis(long elapsedMillis) {
    long wait = waits.receiptWaits().isEmpty()
        ? value(JobParameter.MIN_WAIT)
        : waits.receiptWaits().get(0).waitMillis();
    for (ReceiptWait step : waits.receiptWaits()) {
      if (step.afterMillis() <= elapsedMillis) {
        wait = step.waitMillis();
      }
    }
    return wait;
  }

  /** The same; if the upstream has named a wait above 0, that one, but at least a second. */
  public long receiptWaitMillis(long elapsedMillis, long namedMillis) {
    return namedMillis > 0
        ? Math.max(LEAST_RECEIPT_WAIT_MILLIS, namedMillis)
        : receiptWaitMillis(elapsedMillis);
  }
}
