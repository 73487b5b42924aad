package io.weir.jobs.work;

import static java.util.Objects.requireNonNull;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.weir.core.policy.Destinations;
import io.weir.core.policy.OperationRule;
import io.weir.core.throttle.PolicySource;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.store.RedisJobs;
import io.weir.node.upstream.SendSlots;
import io.weir.node.upstream.UpstreamSlots;
import io.weir.state.hold.Holds;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Claims and does jobs of this node: for each operation a bounded number at a time, independent of the others. Mutable;
 * owned by its event loop.
 */
public final class JobWorker extends VerticleBase {
  private static final long TICK_MILLIS = 20;

  private final PolicySource policies;
  private final RedisJobs store;
  private final Holds holds;
  private final JobTokens tokens;
  private final JobMeters meters;
  private final ResultMemory results;
  private final UpstreamSlots slots;
  private final Set<String> accepted;
  /** How long jobs that were sent may take once the node stops. */
  private final Duration patience;

  private final String name = UUID.randomUUID().toString();
  private final Map<String, JobLine> lines = new HashMap<>();
  private final Promise<Void> idle = Promise.promise();
  private boolean isStopping;
  private @Nullable SendSlots turns;
  private Map<String, OperationRule> rules = Map.of();
  private long rulesOf = -1;

  /**
   * A worker for one node.
   *
   * @param accepted the operations with new jobs, from any thread; the worker removes what it has seen
   */
  public JobWorker(JobParts parts, Set<String> accepted) {
    this.policies = parts.node().policies();
    this.store = parts.store();
    this.holds = parts.node().holds();
    this.tokens = parts.tokens();
    this.meters = parts.meters();
    this.results = parts.results();
    this.slots = parts.node().slots();
    this.accepted = accepted;
    this.patience = parts.node().config().running().shutdownTimeout();
  }

  @Override
  public Future<?> start() {
    turns = slots.on(vertx);
    vertx.setPeriodic(TICK_MILLIS, fired -> tick());
    return Future.succeededFuture();
  }

  /** Gives back jobs that wait; jobs that were sent may end, and their leases are renewed. */
  @Override
  public Future<?> stop() {
    isStopping = true;
    lines.values().forEach(JobLine::giveBackAll);
    ended();
    return idle.future()
        .timeout(patience.toMillis(), TimeUnit.MILLISECONDS)
        .otherwiseEmpty()
        .onComplete(done -> lines.values().forEach(JobLine::close));
  }

  void ended() {
    if (isStopping && lines.values().stream().allMatch(JobLine::isEmpty)) {
      idle.tryComplete();
    }
  }

  private void tick() {
    if (!isStopping) {
      readRules();
    }
    List.copyOf(lines.values()).forEach(JobLine::renew);
    if (isStopping) {
      lines.values().forEach(JobLine::giveBackAll);
      return;
    }
    for (String operation : rules.keySet()) {
      JobLine line = lines.computeIfAbsent(operation, name -> new JobLine(this, name));
      if (accepted.remove(operation)) {
        line.wake();
      }
      line.claimWhenDue();
    }
  }

  private void readRules() {
    var current = policies.current();
    if (current.revision() == rulesOf) {
      return;
    }
    rulesOf = current.revision();
    rules = current.policy().routing().rules().stream()
        .filter(rule -> JobRule.of(rule).isPresent())
        .filter(rule -> Destinations.of(current.policy(), Optional.of(rule)).isPresent())
        .collect(Collectors.toMap(OperationRule::name, Function.identity()));
    rules.keySet().forEach(meters::queue);
    // If an operation has left the policy, its running jobs may end.
    List<JobLine> gone = lines.values().stream()
        .filter(line -> !rules.containsKey(line.operation()))
        .toList();
    gone.forEach(JobLine::giveBackAll);
    gone.stream().filter(JobLine::isEmpty).forEach(line -> {
      lines.remove(line.operation());
      line.close();
      meters.gone(line.operation());
    });
    rulesOf = gone.stream().allMatch(JobLine::isEmpty) ? rulesOf : -1;
  }

  // The total of all operations, which share the memory.
  long bytes() {
    return lines.values().stream().mapToLong(JobLine::bytes).sum();
  }

  Optional<OperationRule> operation(String name) {
    return Optional.ofNullable(rules.get(name));
  }

  Optional<JobRule> rule(String operation) {
    return Optional.ofNullable(rules.get(operation)).flatMap(JobRule::of);
  }

  /** The number of operations, at least 1. */
  int lines() {
    return Math.max(1, lines.size());
  }

  SendSlots turns() {
    return requireNonNull(turns);
  }

  Vertx loop() {
    return vertx;
  }

  RedisJobs store() {
    return store;
  }

  Holds holds() {
    return holds;
  }

  JobTokens tokens() {
    return tokens;
  }

  JobMeters meters() {
    return meters;
  }

  ResultMemory results() {
    return results;
  }

  PolicySource policies() {
    return policies;
  }

  /** The name of the node in the shared state. */
  String name() {
    return name;
  }

  boolean isStopping() {
    return isStopping;
  }
}
