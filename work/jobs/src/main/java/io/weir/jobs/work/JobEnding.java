package io.weir.jobs.work;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.weir.client.answer.AnswerStatus;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.SettleRule;
import io.weir.core.throttle.Ending;
import io.weir.jobs.rule.Job;
import io.weir.jobs.rule.JobCharge;
import io.weir.jobs.rule.JobMove;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.work.JobExchange.Answer;
import io.weir.node.hold.Execution;
import io.weir.node.usage.Usage;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Decides how a job's end on this node settles its charge, by the rules of forwarded requests. Mutable; owned by one
 * run.
 */
public final class JobEnding {
  private static final int FIRST_FAILED_STATUS = 400;

  private final Optional<SettleRule> settle;
  private final JobRule rule;
  private final boolean isCheck;
  private final boolean hadRun;
  private Execution last = Execution.UNKNOWN;
  private boolean wasSent;

  /** @param isCheck whether the upstream is only asked whether it is ready */
  JobEnding(Job job, OperationRule operation, JobRule rule, boolean isCheck) {
    this.settle = operation.settle().filter(known -> job.counted().charge().isPresent());
    this.rule = rule;
    this.isCheck = isCheck;
    this.hadRun = job.progress().receipt().isPresent()
        || job.counted().charge().filter(JobCharge::mayHaveRun).isPresent();
  }

  /** The job was sent, and came so far. */
  void sent(Execution execution) {
    last = execution;
    wasSent = true;
  }

  /** The end of the job with an answer. Reads the whole answer. */
  JobMove with(Answer answer) {
    boolean mayHaveRun = hadRun || isExecuted(answer.status());
    Optional<Buffer> body = Optional.of(answer.body()).filter(known -> answer.isWhole());
    return JobResult.end(answer, rule)
        .with(
            settle.map(known -> of(known, mayHaveRun, answer.status(), answer.headers(), body)),
            mayHaveRun);
  }

  // An upstream that refuses a job at its check was not sent it.
  private boolean isExecuted(int status) {
    return isCheck
        ? status < FIRST_FAILED_STATUS
        : (wasSent && last.mayHaveRun()) || !AnswerStatus.isNotExecuted(status);
  }

  /** Another attempt after one without an answer that counts, or the end of the job after its last one. */
  JobMove again(String reason) {
    Execution all = new Execution(hadRun || last.mayHaveRun(), last.status(), true);
    return JobMove.again(JobResult.none(reason).text())
        .with(
            settle.map(known -> all.ending(known.refunds(), OptionalLong.empty())),
            last.mayHaveRun());
  }

  /** The end with a result that the upstream posted. */
  public static Optional<Ending> ofResult(
      OperationRule operation, int status, MultiMap headers, Buffer body) {
    return operation
        .settle()
        .map(known ->
            of(known, !AnswerStatus.isNotExecuted(status), status, headers, Optional.of(body)));
  }

  private static Ending of(
      SettleRule settle, boolean mayHaveRun, int status, MultiMap headers, Optional<Buffer> body) {
    Usage usage = new Usage(settle);
    usage.head(headers);
    body.ifPresent(whole -> {
      usage.chunk(whole);
      usage.end(MultiMap.caseInsensitiveMultiMap());
    });
    return new Execution(mayHaveRun, status, status >= FIRST_FAILED_STATUS)
        .ending(settle.refunds(), usage.cost());
  }
}
