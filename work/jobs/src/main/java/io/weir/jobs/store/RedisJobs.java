package io.weir.jobs.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.jobs.rule.ClaimedJobs;
import io.weir.jobs.rule.Job;
import io.weir.jobs.rule.JobMove;
import io.weir.jobs.rule.JobParameter;
import io.weir.jobs.rule.JobQueue;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.rule.JobSettlement;
import io.weir.jobs.rule.JobStore;
import io.weir.jobs.rule.JobSubmission;
import io.weir.jobs.rule.MovedJob;
import io.weir.jobs.rule.SeenJob;
import io.weir.jobs.rule.SubmittedJob;
import io.weir.state.connection.RedisConnections;
import io.weir.state.connection.RedisLibrary;
import io.weir.state.wire.LuaLibrary;
import io.weir.state.wire.StoreClock;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Jobs in Redis: the keys of a queue are in one partition, and a script makes each call. Few long values are on their way
 * at a time, see {@link LongValues}.
 */
public final class RedisJobs implements JobStore {
  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final long BYTES_OF_CLAIM = 1 << 20;
  private static final long HEADERS_OF_RESULT = 4096;
  private static final String NO_PLACE = "";

  private static final List<String> COMMANDS =
      List.of("job_submit", "job_release", "job_look", "job_claim", "job_step", "job_renew");

  private final RedisConnections redis;
  private final LongValues longValues = new LongValues();
  private final RedisLibrary library;

  public RedisJobs(RedisConnections redis) {
    this(redis, StoreClock.REDIS);
  }

  /** @param clock Redis's own but to rehearse and in tests */
  public RedisJobs(RedisConnections redis, StoreClock clock) {
    this.redis = redis;
    this.library = new RedisLibrary(redis, LuaLibrary.of("jobs", COMMANDS, clock.modules()), clock);
  }

  @Override
  public CompletionStage<SubmittedJob> keepPlace(JobRule rule, JobSubmission submission) {
    return submit(rule, submission, false, NO_PLACE);
  }

  @Override
  public CompletionStage<Void> release(JobSubmission submission, SubmittedJob.Placed place) {
    return run(
            "job_release",
            submission.name().operation(),
            List.of(submission.name().id(), place.token()))
        .thenApply(done -> null);
  }

  @Override
  public CompletionStage<SubmittedJob> submit(JobRule rule, JobSubmission submission) {
    return submit(rule, submission, true, NO_PLACE);
  }

  @Override
  public CompletionStage<SubmittedJob> submit(
      JobRule rule, JobSubmission submission, SubmittedJob.Placed place) {
    return submit(rule, submission, true, place.token());
  }

  private CompletionStage<SubmittedJob> submit(
      JobRule rule, JobSubmission of, boolean isMeant, String place) {
    boolean isShort = redis.memory().isShort();
    List<String> arguments = List.of(
        of.name().id(),
        of.name().tenant(),
        of.name().subject(),
        of.name().fingerprint(),
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
        place,
        of.charge().orElse(""));
    return longValues
        .call(
            isMeant ? of.request().length() : 0,
            () -> run("job_submit", of.name().operation(), arguments))
        .thenApply(answer -> JobReplies.submitted(of.name().operation(), answer));
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

  @Override
  public CompletionStage<Optional<SeenJob>> look(String operation, String id, String asking) {
    return look(operation, List.of(id), asking, true).thenApply(seen -> seen.get(0));
  }

  /** The result of a job that has ended; empty if the job is unknown by now. */
  public CompletionStage<Optional<String>> result(Job job) {
    return longValues
        .call(
            job.counted().bytes(), () -> look(job.name().operation(), job.name().id(), ""))
        .thenApply(seen -> seen.map(SeenJob::result));
  }

  /** Whether a key has jobs of an operation, ended ones included, or a place for one. */
  public CompletionStage<Boolean> hasJobs(String operation, String tenant, String subject) {
    String owner = "bytes:%s/%s".formatted(tenant, subject);
    return redis.ask(commands -> commands.hexists(JobKeys.counts(operation), owner));
  }

  @Override
  public CompletionStage<Optional<Job>> see(String operation, String id, String asking) {
    return look(operation, List.of(id), asking, false)
        .thenApply(seen -> seen.get(0).map(SeenJob::job));
  }

  @Override
  public CompletionStage<List<Optional<SeenJob>>> look(String operation, Collection<String> ids) {
    return look(operation, ids, "", false);
  }

  private CompletionStage<List<Optional<SeenJob>>> look(
      String operation, Collection<String> ids, String asking, boolean withResults) {
    List<String> arguments = List.of(asking, withResults ? "1" : "0", String.join(",", ids));
    return run("job_look", operation, arguments)
        .thenApply(answer -> JobReplies.seen(operation, answer));
  }

  @Override
  public CompletionStage<ClaimedJobs> claim(
      String operation, JobRule rule, String claim, Collection<String> unanswered, Wanted wanted) {
    List<String> arguments = List.of(
        claim,
        String.join(",", unanswered),
        text(rule.micros(JobParameter.LEASE)),
        text(wanted.horizonMicros()),
        text(wanted.leadMicros()),
        text(intervalMicros(rule)),
        text(rule.value(JobParameter.READINESS_CONCURRENCY)),
        text(wanted.most()),
        text(BYTES_OF_CLAIM),
        text(rule.value(JobParameter.ATTEMPTS)),
        text(rule.micros(JobParameter.KEEP)),
        text(rule.micros(JobParameter.TIMEOUT)));
    return longValues
        .call(BYTES_OF_CLAIM, () -> run("job_claim", operation, arguments))
        .thenApply(answer -> JobReplies.claimed(operation, answer));
  }

  @Override
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
        move.result(),
        SettlementText.cost(move.ending()),
        move.mayHaveRun() ? "1" : "0");
    return longValues
        .call(move.result().length(), () -> run("job_step", operation, arguments))
        .thenApply(answer -> JobReplies.moved(operation, answer));
  }

  @Override
  public CompletionStage<Void> settled(String operation, List<JobSettlement> done) {
    String settlements = JobKeys.settlements(operation);
    String[] texts = done.stream().map(SettlementText::of).toArray(String[]::new);
    return redis.ask(commands -> commands.zrem(settlements, texts)).thenAccept(removed -> {});
  }

  @Override
  public CompletionStage<List<Boolean>> renew(
      String operation, JobRule rule, String node, List<String> ids) {
    List<String> arguments =
        List.of(node, text(rule.micros(JobParameter.LEASE)), String.join(",", ids));
    return run("job_renew", operation, arguments)
        .thenApply(answer -> answer.stream().map(held -> (Long) held == 1).toList());
  }

  /** The jobs of an operation, in pages. */
  public JobPages pages() {
    return new JobPages(redis, this);
  }

  CompletionStage<JobQueue> queue(String operation) {
    return run("job_look", operation, List.of("", "0", ""))
        .thenApply(answer -> JobText.queue(answer, 0));
  }

  private CompletionStage<List<Object>> run(
      String command, String operation, List<String> arguments) {
    return library.run(command, JobKeys.of(operation), arguments);
  }

  private static String text(long number) {
    return Long.toString(number);
  }
}
