package io.weir.node.job;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.weir.job.ClaimedJobs;
import io.weir.job.Job;
import io.weir.job.JobMove;
import io.weir.job.JobParameter;
import io.weir.job.JobRule;
import io.weir.job.JobState;
import io.weir.job.JobWork;
import io.weir.job.MovedJob;
import io.weir.node.metrics.JobMeters;
import io.weir.policy.OperationRule;
import io.weir.policy.Upstream;
import io.weir.state.redis.RedisJobs;
import io.weir.throttle.PolicySource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does the jobs that this node claims: for each operation some at a time, whatever the others do. Mutable; owned by its
 * event loop; {@link #wake} may be called by any thread.
 */
public final class JobWorker extends VerticleBase {
  private static final Logger LOG = LoggerFactory.getLogger(JobWorker.class);
  private static final long TICK_MILLIS = 20;
  private static final long HORIZON_MICROS = 200_000;
  private static final long SOON_NANOS = 50_000_000;
  private static final long LATER_NANOS = 500_000_000;
  private static final long NANOS_PER_MICRO = 1000;
  private static final int CLAIMED_AT_ONCE = 100;
  private static final long MAX_BYTES = 64 << 20;
  private static final int MAX_RECEIPTS = 20_000;
  private static final int MAX_UNHEARD = 50;
  private static final int RENEWALS_PER_LEASE = 3;
  private static final long AGAIN_MILLIS = 500;
  private static final int MOST_TRIES = 60;

  private final PolicySource policies;
  private final RedisJobs store;
  private final JobTokens tokens;
  private final JobMeters meters;
  private final Duration patience;
  private final String name = UUID.randomUUID().toString();
  private final Map<String, Queue> queues = new HashMap<>();
  private final Set<String> woken = ConcurrentHashMap.newKeySet();
  private final Promise<Void> idle = Promise.promise();
  private boolean isStopping;
  private Map<String, OperationRule> rules = Map.of();
  private long rulesOf = -1;

  /** @param patience how long jobs that were sent may take once the node stops */
  public JobWorker(
      PolicySource policies,
      RedisJobs store,
      JobTokens tokens,
      JobMeters meters,
      Duration patience) {
    this.policies = policies;
    this.store = store;
    this.tokens = tokens;
    this.meters = meters;
    this.patience = patience;
  }

  /** There is a job of this operation. */
  public void wake(String operation) {
    woken.add(operation);
  }

  @Override
  public Future<?> start() {
    vertx.setPeriodic(TICK_MILLIS, fired -> tick());
    return Future.succeededFuture();
  }

  /** Jobs that wait for something go back; those that were sent may end, and are held on to. */
  @Override
  public Future<?> stop() {
    isStopping = true;
    queues.values().forEach(Queue::giveBackAll);
    lookWhetherIdle();
    return idle.future()
        .timeout(patience.toMillis(), TimeUnit.MILLISECONDS)
        .otherwiseEmpty()
        .onComplete(done -> queues.values().forEach(queue -> queue.upstream.close()));
  }

  private void lookWhetherIdle() {
    if (isStopping && queues.values().stream().allMatch(queue -> queue.runs.isEmpty())) {
      idle.tryComplete();
    }
  }

  private void tick() {
    if (!isStopping) {
      readRules();
    }
    long now = System.nanoTime();
    List.copyOf(queues.values()).forEach(queue -> queue.renew(now));
    if (isStopping) {
      queues.values().forEach(Queue::giveBackAll);
      return;
    }
    for (String operation : rules.keySet()) {
      Queue queue = queues.computeIfAbsent(operation, Queue::new);
      boolean isDue = woken.remove(operation) || now - queue.dueNanos >= 0;
      if (isDue && !queue.isClaiming) {
        queue.claim();
      }
    }
  }

  private void readRules() {
    var current = policies.current();
    if (current.revision() == rulesOf) {
      return;
    }
    rulesOf = current.revision();
    rules = current.policy().upstream().isEmpty()
        ? Map.of()
        : current.policy().rules().stream()
            .filter(rule -> rule.job().isPresent())
            .collect(Collectors.toMap(OperationRule::name, Function.identity()));
    rules.keySet().forEach(meters::queue);
    // An operation that is no longer one: what is under way may end.
    List<Queue> gone = queues.values().stream()
        .filter(queue -> !rules.containsKey(queue.operation))
        .toList();
    gone.forEach(Queue::giveBackAll);
    gone.stream().filter(queue -> queue.runs.isEmpty()).forEach(queue -> {
      queues.remove(queue.operation);
      queue.upstream.close();
    });
    rulesOf = gone.stream().allMatch(queue -> queue.runs.isEmpty()) ? rulesOf : -1;
  }

  // Of all queues: they share the memory.
  private long bytes() {
    return queues.values().stream()
        .flatMap(queue -> queue.runs.values().stream())
        .mapToLong(JobRun::bytes)
        .sum();
  }

  private Optional<JobRule> ruleOf(String operation) {
    return Optional.ofNullable(rules.get(operation)).flatMap(OperationRule::job);
  }

  /** The jobs of one operation that this node has. */
  private final class Queue {
    private final String operation;
    private final JobUpstream upstream;
    private final Context context = vertx.getOrCreateContext();
    private final Map<String, JobRun> runs = new LinkedHashMap<>();
    private JobRule lastRule = JobRule.DEFAULT;
    private final Set<String> unheard = new LinkedHashSet<>();
    private long claims;
    private long leadMicros;
    private long dueNanos = System.nanoTime();
    private long renewedNanos = System.nanoTime();
    private boolean isClaiming;
    private boolean isAway;

    private Queue(String operation) {
      this.operation = operation;
      this.upstream = new JobUpstream(vertx, tokens);
    }

    private JobRule rule() {
      ruleOf(operation).ifPresent(known -> lastRule = known);
      return lastRule;
    }

    // Those that wait for results of receipts take no connection, and no memory to speak of.
    private int room() {
      long receipts = runs.values().stream().filter(JobRun::isReceived).count();
      long most = receipts >= MAX_RECEIPTS || bytes() >= MAX_BYTES
          ? 0
          : JobUpstream.MAX_CONNECTIONS - (runs.size() - receipts);
      return (int) Math.max(0, Math.min(CLAIMED_AT_ONCE, most));
    }

    private void claim() {
      isClaiming = true;
      long askedNanos = System.nanoTime();
      claims++;
      String claim = name + ":" + claims;
      List<String> lost = unheard.stream().limit(MAX_UNHEARD).toList();
      Future.fromCompletionStage(
              store.claim(operation, rule(), claim, lost, HORIZON_MICROS, leadMicros, room()),
              context)
          .onComplete(claimed -> {
            isClaiming = false;
            if (claimed.succeeded()) {
              lost.forEach(unheard::remove);
              long took = (System.nanoTime() - askedNanos) / NANOS_PER_MICRO;
              leadMicros = Math.min(HORIZON_MICROS / 2, took * 2);
              begin(claimed.result(), claim, askedNanos);
            } else {
              unheard.add(claim);
              away(claimed.cause());
            }
          });
    }

    // Logged once for an outage.
    private void away(Throwable error) {
      dueNanos = System.nanoTime() + LATER_NANOS;
      if (!isAway) {
        isAway = true;
        LOG.warn("no jobs of {} until the shared state answers: {}", operation, error.toString());
      }
    }

    private void begin(ClaimedJobs claimed, String claim, long askedNanos) {
      isAway = false;
      meters.queue(operation, claimed);
      boolean mayBeMore = claimed.work().size() >= CLAIMED_AT_ONCE;
      long pause = claimed.nextMicros() >= 0
          ? Math.min(LATER_NANOS, (claimed.nextMicros() - HORIZON_MICROS / 2) * NANOS_PER_MICRO)
          : claimed.queue().waiting() > 0 ? SOON_NANOS : LATER_NANOS;
      dueNanos = System.nanoTime() + (mayBeMore ? 0 : Math.max(0, pause));
      Optional<Upstream> to = policies.current().policy().upstream();
      for (JobWork work : claimed.work()) {
        if (isStopping || to.isEmpty()) {
          Future<Boolean> unused = tell(claim, work.job(), JobMove.unsent(), MOST_TRIES);
        } else {
          run(work, claim, to.get(), askedNanos);
        }
      }
    }

    private void run(JobWork work, String claim, Upstream to, long askedNanos) {
      JobRun[] itself = new JobRun[1];
      JobRun run = new JobRun(
          vertx, work, askedNanos, rule(), to, upstream, how -> move(itself[0], claim, how));
      itself[0] = run;
      JobRun before = runs.put(work.job().id(), run);
      if (before != null) {
        before.stop();
      }
      run.start();
    }

    /** Moves the job of a run, which is over then, unless the upstream still has it. */
    private Future<Boolean> move(JobRun run, String claim, JobMove how) {
      boolean isOver = !how.isTo(JobState.RECEIPT_RECEIVED);
      return tell(claim, run.job(), how, MOST_TRIES).onComplete(told -> {
        if (isOver || !Boolean.TRUE.equals(told.result())) {
          remove(run);
        }
        if (how.isTo(JobState.READY)) {
          dueNanos = Math.min(dueNanos, System.nanoTime() + SOON_NANOS);
        }
      });
    }

    private void remove(JobRun run) {
      runs.remove(run.job().id(), run);
      lookWhetherIdle();
    }

    /** What only waits is another node's to do. */
    private void giveBackAll() {
      List.copyOf(runs.values()).forEach(run -> run.whenStopped().ifPresent(run::giveBack));
    }

    // Without the shared state it is told again: the answer is there, and nobody else has it.
    private Future<Boolean> tell(String claim, Job job, JobMove how, int tries) {
      return Future.fromCompletionStage(
              store.move(operation, rule(), job.id(), claim, job.run(), how), context)
          .map(moved -> {
            moved.filter(MovedJob::isMoved).ifPresent(done -> JobEnds.moved(meters, done, rule()));
            return moved.filter(MovedJob::isMoved).isPresent();
          })
          .recover(error -> tries <= 1
              ? Future.failedFuture(error)
              : vertx
                  .timer(AGAIN_MILLIS, TimeUnit.MILLISECONDS)
                  .compose(due -> tell(claim, job, how, tries - 1)));
    }

    private void renew(long now) {
      long every = rule().micros(JobParameter.LEASE) * NANOS_PER_MICRO / RENEWALS_PER_LEASE;
      if (now - renewedNanos < every || runs.isEmpty()) {
        return;
      }
      renewedNanos = now;
      List<JobRun> held = new ArrayList<>(runs.values());
      List<String> ids = held.stream().map(run -> run.job().id()).toList();
      Future.fromCompletionStage(store.renew(operation, rule(), name, ids), context)
          .onSuccess(are -> {
            for (int i = 0; i < are.size(); i++) {
              if (!are.get(i)) {
                held.get(i).stop();
                remove(held.get(i));
              }
            }
          });
    }
  }
}
