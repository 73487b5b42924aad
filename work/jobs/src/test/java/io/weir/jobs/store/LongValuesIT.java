package io.weir.jobs.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.jobs.rule.Job;
import io.weir.jobs.rule.JobMove;
import io.weir.jobs.rule.JobName;
import io.weir.jobs.rule.JobParameter;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.rule.JobState;
import io.weir.jobs.rule.JobStore.Wanted;
import io.weir.jobs.rule.JobSubmission;
import io.weir.state.connection.RedisConnections;
import io.weir.testkit.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Long values of jobs beside decisions, in the order in which Redis does them. */
final class LongValuesIT {
  private static final Duration LONG_ENOUGH = Duration.ofMinutes(1);
  private static final int MANY = 40;
  private static final String LONG = "x".repeat(1 << 20);
  private static final String NODE = "node-a:1";
  private static final String OPERATION = "Big";
  private static final String DECISION = "a-decision";
  private static final Pattern CALL = Pattern.compile("(?i)\\[(fcall|evalsha|eval),");
  private static final JobRule RULE = new JobRule(
      Map.of(
          JobParameter.DISPATCH_PER_SECOND,
          1000L,
          JobParameter.BYTES_OF_KEY,
          1L << 30,
          JobParameter.BYTES_OF_TENANT,
          1L << 30),
      new JobRule.Waits(false, true, List.of()),
      new JobRule.Protocol(Optional.empty(), false, Set.of(), Set.of()));

  private RedisProcess redis;
  private RedisConnections ofJobs;
  private RedisConnections ofDecisions;
  private RedisConnections operator;
  private RedisJobs jobs;

  @BeforeEach
  void start() {
    redis = RedisProcess.start();
    ofJobs = RedisConnections.open(redis.uri(), LONG_ENOUGH);
    ofDecisions = RedisConnections.open(redis.uri(), LONG_ENOUGH);
    operator = RedisConnections.open(redis.uri(), LONG_ENOUGH);
    jobs = new RedisJobs(ofJobs);
  }

  @AfterEach
  void stop() {
    operator.close();
    ofDecisions.close();
    ofJobs.close();
    redis.close();
  }

  @Test
  void aDecisionBesideManyResultsIsDoneBeforeTheThird() {
    Job job = ended();
    assertThat(beforeTheDecision(() -> jobs.result(job))).isLessThanOrEqualTo(2);
  }

  @Test
  void aDecisionBesideManySubmissionsIsDoneBeforeTheThird() {
    AtomicInteger number = new AtomicInteger();
    assertThat(beforeTheDecision(() -> jobs.submit(RULE, submission(number.incrementAndGet()))))
        .isLessThanOrEqualTo(2);
  }

  @Test
  void aDecisionBesideManyClaimsIsDoneBeforeTheThird() {
    for (int i = 1; i <= MANY; i++) {
      jobs.submit(RULE, submission(i)).toCompletableFuture().join();
    }
    assertThat(beforeTheDecision(() -> claim(1))).isLessThanOrEqualTo(2);
  }

  // How many of many calls Redis does before a decision that arrives behind all of them.
  private long beforeTheDecision(Supplier<CompletionStage<?>> call) {
    operator.sync().configSet("slowlog-log-slower-than", "0");
    operator.sync().configSet("slowlog-max-len", "10000");
    operator.sync().slowlogReset();
    redis.ask("CLIENT PAUSE 60000 WRITE");
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      all.add(call.get().toCompletableFuture());
    }
    awaitPaused(1);
    all.add(ofDecisions.ask(commands -> commands.set(DECISION, "1")));
    awaitPaused(2);
    redis.ask("CLIENT UNPAUSE");
    CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).join();
    List<String> done = done();
    assertThat(done.stream().filter(LongValuesIT::isOfJobs)).hasSizeGreaterThanOrEqualTo(MANY);
    return done.stream()
        .takeWhile(command -> !command.contains(DECISION))
        .filter(LongValuesIT::isOfJobs)
        .count();
  }

  private void awaitPaused(int connections) {
    await()
        .atMost(LONG_ENOUGH)
        .until(() -> redis.ask("INFO clients").contains("blocked_clients:" + connections));
  }

  // The commands that it does within a call are logged, too.
  private static boolean isOfJobs(String command) {
    return CALL.matcher(command).find() && command.contains(":jobs:" + OPERATION);
  }

  // Of all commands, first to last.
  private List<String> done() {
    List<String> done = new ArrayList<>(
        operator.sync().slowlogGet(10_000).stream().map(String::valueOf).toList());
    Collections.reverse(done);
    return done;
  }

  private CompletionStage<?> claim(int most) {
    return jobs.claim(OPERATION, RULE, NODE, List.of(), new Wanted(1_000_000, 0, most));
  }

  private Job ended() {
    jobs.submit(RULE, submission(0)).toCompletableFuture().join();
    claim(1).toCompletableFuture().join();
    JobMove move = JobMove.to(JobState.COMPLETED, LONG);
    return jobs.move(OPERATION, RULE, id(0), NODE, 0, move)
        .toCompletableFuture()
        .join()
        .orElseThrow()
        .job();
  }

  private static JobSubmission submission(int number) {
    return new JobSubmission(new JobName(OPERATION, id(number), "acme", "k1", "f" + number), LONG);
  }

  private static String id(int number) {
    return "%032x".formatted(number);
  }
}
