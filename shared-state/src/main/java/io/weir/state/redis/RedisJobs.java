package io.weir.state.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.MapScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.weir.core.job.ClaimedJobs;
import io.weir.core.job.Job;
import io.weir.core.job.JobMove;
import io.weir.core.job.JobParameter;
import io.weir.core.job.JobQueue;
import io.weir.core.job.JobRule;
import io.weir.core.job.JobSubmission;
import io.weir.core.job.MovedJob;
import io.weir.core.job.SeenJob;
import io.weir.core.job.SubmittedJob;
import io.weir.state.redis.wire.JobReplies;
import io.weir.state.redis.wire.JobText;
import io.weir.state.redis.wire.LuaScript;
import io.weir.state.redis.wire.RedisKeys;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The jobs of all nodes, in Redis: a queue for each operation. Safe for use by many threads; never blocks. Failures are
 * {@link io.weir.core.throttle.StoreUnavailableException}.
 */
public final class RedisJobs {
  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final long BYTES_OF_CLAIM = 1 << 20;
  private static final long HEADERS_OF_RESULT = 4096;
  private static final int STATES = 6;
  private static final String NO_PLACE = "";
  private static final JobQueue NO_QUEUE = new JobQueue(0, 0, 0, 0, 0, 0);
  private static final int LISTED_AT_ONCE = 500;

  private final RedisConnections redis;
  private final LuaScript submit;
  private final LuaScript release;
  private final LuaScript look;
  private final LuaScript claim;
  private final LuaScript step;
  private final LuaScript renew;
  private final Supplier<List<String>> clock;

  public RedisJobs(RedisConnections redis) {
    this(redis, Map.of(), List::of);
  }

  private RedisJobs(
      RedisConnections redis, Map<String, String> includes, Supplier<List<String>> clock) {
    this.redis = redis;
    this.submit = LuaScript.load("job_submit", includes);
    this.release = LuaScript.load("job_release", includes);
    this.look = LuaScript.load("job_look", includes);
    this.claim = LuaScript.load("job_claim", includes);
    this.step = LuaScript.load("job_step", includes);
    this.renew = LuaScript.load("job_renew", includes);
    this.clock = clock;
  }

  /** The same with a clock other than Redis's, as {@link RedisBucketStore#rehearsing}. */
  public static RedisJobs rehearsing(RedisConnections redis, LongSupplier clockMicros) {
    return new RedisJobs(
        redis, Map.of("now", "now_text"), () -> List.of(Long.toString(clockMicros.getAsLong())));
  }

  /**
   * Reserves a place for a job, for one request at a time: its caller checks the limits, and then submits the job or
   * releases the place. Otherwise returns the existing job of the same request, or the reason why there is no place.
   */
  public CompletionStage<SubmittedJob> keepPlace(JobRule rule, JobSubmission submission) {
    return submit(rule, submission, false, NO_PLACE);
  }

  /** Frees a place whose request was not admitted. */
  public CompletionStage<Void> release(JobSubmission submission, SubmittedJob.Placed place) {
    return run(release, submission.operation(), List.of(submission.id(), place.token()))
        .thenApply(done -> null);
  }

  /** Takes a job into the queue; a repeated call has no effect. */
  public CompletionStage<SubmittedJob> submit(JobRule rule, JobSubmission submission) {
    return submit(rule, submission, true, NO_PLACE);
  }

  /** The same for a job with a reserved place. */
  public CompletionStage<SubmittedJob> submit(
      JobRule rule, JobSubmission submission, SubmittedJob.Placed place) {
    return submit(rule, submission, true, place.token());
  }

  private CompletionStage<SubmittedJob> submit(
      JobRule rule, JobSubmission of, boolean isMeant, String place) {
    boolean isShort = redis.memory().isShort();
    List<String> arguments = List.of(
        of.id(),
        of.tenant(),
        of.subject(),
        of.fingerprint(),
        rule.isDual() ? "dual" : "single",
        isMeant ? "1" : "0",
        text(rule.value(JobParameter.CAPACITY)),
        text(rule.value(JobParameter.CAPACITY_OF_KEY)),
        text(rule.value(JobParameter.CAPACITY_OF_TENANT)),
        text(rule.value(JobParameter.BYTES_OF_KEY)),
        text(rule.value(JobParameter.BYTES_OF_TENANT)),
        text(isShort ? 0 : rule.value(JobParameter.BYTES_IN_ALL)),
        text(of.request().getBytes(UTF_8).length + longestResult(rule)),
        text(rule.micros(JobParameter.TIMEOUT)),
        text(rule.micros(JobParameter.KEEP)),
        text(intervalMicros(rule)),
        text(rule.micros(JobParameter.MAX_WAIT)),
        isMeant ? of.request() : "",
        place);
    return run(submit, of.operation(), arguments)
        .thenApply(answer -> JobReplies.submitted(of.operation(), answer));
  }

  // Binary data is stored in four characters for three bytes.
  private static long longestResult(JobRule rule) {
    return rule.value(JobParameter.MAX_RESULT_BYTES) * 4 / 3 + HEADERS_OF_RESULT;
  }

  // Rounded up: never more jobs than the rule allows.
  private static long intervalMicros(JobRule rule) {
    long perSecond = rule.value(JobParameter.DISPATCH_PER_SECOND);
    return (MICROS_PER_SECOND + perSecond - 1) / perSecond;
  }

  /**
   * The state of a job, and its result.
   *
   * @param asking the tenant and the key of the caller, with a slash between; calls of the job's owner are counted
   */
  public CompletionStage<Optional<SeenJob>> look(String operation, String id, String asking) {
    return look(operation, List.of(id), asking, true).thenApply(seen -> seen.get(0));
  }

  /** The same without the result. */
  public CompletionStage<Optional<Job>> see(String operation, String id, String asking) {
    return look(operation, List.of(id), asking, false)
        .thenApply(seen -> seen.get(0).map(SeenJob::job));
  }

  /** The states of jobs, in this order, without their results; empty for unknown jobs. */
  public CompletionStage<List<Optional<SeenJob>>> look(String operation, Collection<String> ids) {
    return look(operation, ids, "", false);
  }

  private CompletionStage<List<Optional<SeenJob>>> look(
      String operation, Collection<String> ids, String asking, boolean withResults) {
    List<String> arguments = List.of(asking, withResults ? "1" : "0", String.join(",", ids));
    return run(look, operation, arguments).thenApply(answer -> JobReplies.seen(operation, answer));
  }

  /**
   * Takes work to do, and ends leases and jobs whose time is over.
   *
   * @param claim the node and the number of its claim: {@code node:number}
   * @param unheard claims of the node whose answers were lost
   * @param horizonMicros how far ahead jobs are handed out
   * @param leadMicros the travel time of an answer: no job is handed out to be sent sooner
   * @param most the most jobs to hand out
   */
  public CompletionStage<ClaimedJobs> claim(
      String operation,
      JobRule rule,
      String claim,
      Collection<String> unheard,
      long horizonMicros,
      long leadMicros,
      int most) {
    List<String> arguments = List.of(
        claim,
        String.join(",", unheard),
        text(rule.micros(JobParameter.LEASE)),
        text(horizonMicros),
        text(leadMicros),
        text(intervalMicros(rule)),
        text(rule.value(JobParameter.READINESS_CONCURRENCY)),
        text(most),
        text(BYTES_OF_CLAIM),
        text(rule.value(JobParameter.ATTEMPTS)),
        text(rule.micros(JobParameter.KEEP)),
        text(rule.micros(JobParameter.TIMEOUT)));
    return run(this.claim, operation, arguments)
        .thenApply(answer -> JobReplies.claimed(operation, answer));
  }

  /**
   * Moves a job, if the transition is allowed.
   *
   * @param by the claim by which it was handed out; empty for its caller or the upstream
   * @param run the run of the job, 0 for any
   * @return empty if there is no such job
   */
  public CompletionStage<Optional<MovedJob>> move(
      String operation, JobRule rule, String id, String by, long run, JobMove move) {
    List<String> arguments = List.of(
        id,
        by,
        text(run),
        move.word(),
        text(rule.micros(JobParameter.LEASE)),
        text(rule.micros(JobParameter.KEEP)),
        text(rule.value(JobParameter.ATTEMPTS)),
        move.receipt(),
        move.result());
    return run(step, operation, arguments).thenApply(answer -> JobReplies.moved(operation, answer));
  }

  /** Renews the leases of jobs; returns for each whether it is held. */
  public CompletionStage<List<Boolean>> renew(
      String operation, JobRule rule, String node, List<String> ids) {
    List<String> arguments =
        List.of(node, text(rule.micros(JobParameter.LEASE)), String.join(",", ids));
    return run(renew, operation, arguments)
        .thenApply(answer -> answer.stream().map(held -> (Long) held == 1).toList());
  }

  /** Some existing jobs, in no order, and without their positions; at most {@code most}. */
  public CompletionStage<List<Job>> list(String operation, int most) {
    String states = RedisKeys.jobs(operation).get(STATES);
    return scan(operation, states, ScanCursor.INITIAL, most, new ArrayList<>());
  }

  private CompletionStage<List<Job>> scan(
      String operation, String key, ScanCursor from, int most, List<Job> found) {
    return redis
        .ask(commands -> commands.hscan(key, from, ScanArgs.Builder.limit(LISTED_AT_ONCE)))
        .thenCompose((MapScanCursor<String, String> cursor) -> {
          cursor.getMap().forEach((id, text) -> {
            if (found.size() < most) {
              found.add(JobText.of(operation, id, text, 0, -1, 0, NO_QUEUE));
            }
          });
          return cursor.isFinished() || found.size() >= most
              ? CompletableFuture.completedFuture(found)
              : scan(operation, key, cursor, most, found);
        });
  }

  private CompletionStage<List<Object>> run(
      LuaScript script, String operation, List<String> arguments) {
    List<String> with = new ArrayList<>(arguments);
    with.addAll(clock.get());
    return Scripts.run(redis, script, RedisKeys.jobs(operation), with);
  }

  private static String text(long number) {
    return Long.toString(number);
  }
}
