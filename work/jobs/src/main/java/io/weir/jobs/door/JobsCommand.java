package io.weir.jobs.door;

import io.vertx.core.json.JsonObject;
import io.weir.core.bucket.Names;
import io.weir.jobs.rule.Job;
import io.weir.jobs.rule.JobMove;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.rule.JobState;
import io.weir.jobs.rule.MovedJob;
import io.weir.jobs.rule.SeenJob;
import io.weir.jobs.store.RedisJobs;
import io.weir.node.command.Ago;
import io.weir.node.command.PolicyInForce;
import io.weir.node.command.PrintingCommand;
import io.weir.node.command.RedisOption;
import io.weir.node.command.Table;
import io.weir.node.command.WeirCommand;
import io.weir.node.command.Wrapped;
import io.weir.state.connection.RedisConnections;
import io.weir.state.inspect.StateInspector;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir jobs OPERATION [ID]}: lists the jobs of an operation, shows the history of one, or cancels it. */
@Command(
    name = "jobs",
    description =
        "Shows the jobs of an operation as they are in Redis, or the history of one; cancels one.",
    sortOptions = false,
    versionProvider = WeirCommand.Version.class)
public final class JobsCommand extends PrintingCommand {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final int MOST = 100_000;
  private static final int LOOKED_AT_ONCE = 200;
  private static final int FAILED = 1;
  private static final long MILLION = 1_000_000;
  private static final Table<Job> TABLE = Table.<Job>of()
      .whole("id", it -> it.name().id())
      .whole("state", job -> job.progress().state().word())
      .number(
          "position",
          job -> job.ahead().position().isPresent() ? job.ahead().position().getAsLong() : "")
      .text("key", it -> it.name().owner())
      .number("age", job -> Ago.precisely(job.elapsedMillis()))
      .number("tries", it -> it.progress().attempts());

  private final Supplier<Optional<String>> localRedis;

  @Parameters(index = "0", paramLabel = "OPERATION", description = "the operation of the jobs")
  private String operation = "";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "ID",
      description = "a job: its history is shown")
  private @Nullable String id;

  @Option(names = "--cancel", description = "cancel the job ID")
  private boolean cancels;

  @Option(
      names = "--state",
      paramLabel = "STATE",
      description = "only jobs in this state, such as queued or in_flight")
  private @Nullable String state;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "100",
      description = "how many are shown at most (default: 100)")
  private int limit;

  @Option(names = "--json", description = "prints the list as JSON, a job on each line")
  private boolean isJson;

  @Mixin
  private RedisOption redis = new RedisOption();

  public JobsCommand(Supplier<Optional<String>> localRedis) {
    this.localRedis = localRedis;
  }

  @Override
  public Integer call() {
    requireSound();
    try (RedisConnections connections = RedisConnections.open(redis.uri(localRedis), TIMEOUT)) {
      RedisJobs jobs = new RedisJobs(connections);
      if (id == null) {
        return list(jobs, connections);
      }
      return cancels ? cancel(jobs, id) : print(of(jobs.look(operation, id, "")));
    } finally {
      out().flush();
    }
  }

  private void requireSound() {
    if (!operation.matches(Names.NAME_PATTERN)) {
      throw wrong("'%s' (expected: the name of an operation)".formatted(operation));
    }
    if (id != null && !id.matches("[0-9a-f]{32}")) {
      throw wrong("'%s' (expected: the id of a job, 32 hexadecimal digits)".formatted(id));
    }
    if (limit < 1 || limit > MOST) {
      throw wrong("--limit: %d (expected: 1 to %d)".formatted(limit, MOST));
    }
    if (id == null && cancels) {
      throw wrong("--cancel without a job (expected: its id)");
    }
    if (state != null && JobState.of(state.toLowerCase(Locale.ROOT)).isEmpty()) {
      throw wrong("--state: '%s' (expected: one of %s)"
          .formatted(
              state,
              String.join(
                  ", ", List.of(JobState.values()).stream().map(JobState::word).toList())));
    }
  }

  private int list(RedisJobs jobs, RedisConnections connections) {
    List<Job> all = of(jobs.list(operation, MOST));
    if (all.isEmpty()) {
      PolicyInForce policy = PolicyInForce.of(new StateInspector(connections));
      if (!policy.has(JobRule::operations, operation)) {
        String unknown = "there is no operation %s with jobs".formatted(operation);
        err().println(unknown + policy.revisionText());
        return FAILED;
      }
    }
    print(all, jobs);
    return 0;
  }

  private void print(List<Job> all, RedisJobs jobs) {
    List<Job> wanted = all.stream()
        .filter(job -> state == null || job.progress().state().word().equalsIgnoreCase(state))
        .sorted(Comparator.comparing((Job it) -> it.progress().state())
            .thenComparingLong(it -> it.times().submittedMicros()))
        .toList();
    List<Job> shown = new ArrayList<>();
    List<String> ids = wanted.stream().limit(limit).map(it -> it.name().id()).toList();
    for (int from = 0; from < ids.size(); from += LOOKED_AT_ONCE) {
      of(jobs.look(operation, ids.subList(from, Math.min(ids.size(), from + LOOKED_AT_ONCE))))
          .forEach(seen -> seen.map(SeenJob::job).ifPresent(shown::add));
    }
    if (isJson) {
      shown.forEach(job -> out().println(json(job).encode()));
      return;
    }
    if (wanted.isEmpty()) {
      out().println(Wrapped.lines("There are no such jobs of %s.".formatted(operation)));
    }
    TABLE.print(shown, out());
    if (wanted.size() > limit) {
      out().printf("… and %d more (--limit)%n", wanted.size() - limit);
    }
    if (all.size() == MOST) {
      out().printf("There are more than %d jobs; these are of some of them.%n", MOST);
    }
  }

  private static JsonObject json(Job job) {
    JsonObject json = new JsonObject()
        .put("id", job.name().id())
        .put("state", job.progress().state().word())
        .put("tenant", job.name().tenant())
        .put("key", job.name().subject())
        .put("ageMs", job.elapsedMillis())
        .put("attempts", job.progress().attempts());
    job.ahead().position().ifPresent(position -> json.put("position", position));
    return json;
  }

  private int print(Optional<SeenJob> seen) {
    if (seen.isEmpty()) {
      out().println(Wrapped.lines("There is no such job of %s.".formatted(operation)));
      return FAILED;
    }
    Job job = seen.get().job();
    row("job", job.name().id());
    row("key", job.name().tenant() + "/" + job.name().subject());
    row("state", job.progress().state().word());
    job.ahead().position().ifPresent(position -> row("position", Long.toString(position)));
    row("run", Long.toString(job.progress().run()));
    row("attempts", Long.toString(job.progress().attempts()));
    job.progress().receipt().ifPresent(place -> row("receipt", place));
    long before = job.times().submittedMicros();
    for (Job.Step step : job.times().story()) {
      out()
          .printf(
              "%s  %-16s  +%.3f s%n",
              Instant.ofEpochSecond(step.atMicros() / MILLION, step.atMicros() % MILLION * 1000),
              step.state().word(),
              (step.atMicros() - before) / (double) MILLION);
      before = step.atMicros();
    }
    return 0;
  }

  private void row(String name, String text) {
    out().println(Wrapped.named(name, 11, text));
  }

  // A cancelled job stays visible for as long as a job usually does.
  private int cancel(RedisJobs jobs, String job) {
    Optional<MovedJob> moved =
        of(jobs.move(operation, JobRule.DEFAULT, job, "", 0, JobMove.to(JobState.CANCELLED)));
    if (moved.isEmpty()) {
      return print(Optional.empty());
    }
    String now = moved.get().isMoved()
        ? "It is cancelled."
        : "It has ended already: " + moved.get().job().progress().state().word();
    out().println(now);
    return moved.get().isMoved() ? 0 : FAILED;
  }

  private static <T> T of(CompletionStage<T> asked) {
    try {
      return asked.toCompletableFuture().join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }
}
