package io.weir.jobs.work;

import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.weir.core.policy.Destination;
import io.weir.core.policy.Destinations;
import io.weir.core.policy.OperationRule;
import io.weir.jobs.rule.ClaimedJobs;
import io.weir.jobs.rule.Job;
import io.weir.jobs.rule.JobMove;
import io.weir.jobs.rule.JobParameter;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.rule.JobState;
import io.weir.jobs.rule.JobStore.Wanted;
import io.weir.jobs.rule.JobTask;
import io.weir.jobs.rule.JobWork;
import io.weir.jobs.rule.MovedJob;
import io.weir.node.loop.LoopTime;
import io.weir.state.keep.LeaseRenewal;
import io.weir.state.keep.LeaseRenewal.Renewal;
import io.weir.state.keep.LeaseTerms;
import io.weir.state.keep.LeaseTime;
import io.weir.state.keep.RetriedCalls;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The jobs of one operation on this node. Mutable; owned by the event loop of the worker. */
final class JobLine {
  private static final long HORIZON_MICROS = 200_000;
  private static final long SOON_NANOS = 50_000_000;
  private static final long LATER_NANOS = 500_000_000;
  private static final int CLAIMED_AT_ONCE = 100;
  private static final long MAX_BYTES = 64 << 20;
  private static final int MAX_RECEIPTS = 20_000;
  private static final int MAX_UNANSWERED = 50;
  private static final Logger LOG = LoggerFactory.getLogger(JobLine.class);

  private final JobWorker node;
  private final String operation;
  private final JobUpstream upstream;
  private final Context context;
  private final Map<String, JobRun> runs = new LinkedHashMap<>();
  private final LeaseRenewal<JobRun> kept;
  private final JobSettlements settlements;
  private final RetriedCalls ends;
  private final Set<String> unanswered = new LinkedHashSet<>();
  private JobRule lastRule = JobRule.DEFAULT;
  private long claims;
  private long leadMicros;
  private long dueNanos = System.nanoTime();
  private int reports;
  private boolean isClaiming;
  private boolean isAway;
  private boolean isWoken;

  /** @param node the worker that this line belongs to */
  JobLine(JobWorker node, String operation) {
    this.node = node;
    this.operation = operation;
    this.context = node.loop().getOrCreateContext();
    this.upstream = new JobUpstream(node.loop(), node.turns(), node.tokens(), node.results());
    this.settlements = new JobSettlements(node.store(), node.holds());
    LeaseTime time = new LoopTime(node.loop());
    this.ends = new RetriedCalls(LeaseTerms.JOB, time, error -> true);
    this.kept = new LeaseRenewal<>(
        LeaseTerms.JOB,
        time,
        new Renewal<>(run -> rule().micros(JobParameter.LEASE), this::renew, this::lose));
  }

  String operation() {
    return operation;
  }

  /** Whether no job is running or about to be claimed, and no state change is being stored. */
  boolean isEmpty() {
    return runs.isEmpty() && !isClaiming && reports == 0;
  }

  /** The memory of its jobs, in bytes. */
  long bytes() {
    return runs.values().stream().mapToLong(JobRun::bytes).sum();
  }

  void close() {
    upstream.close();
  }

  private JobRule rule() {
    node.rule(operation).ifPresent(known -> lastRule = known);
    return lastRule;
  }

  // Jobs that wait for the results of receipts take no connection, and hardly any memory.
  private int room() {
    long receipts = runs.values().stream().filter(JobRun::isReceived).count();
    // Each line has its part of the memory, and may have more while there is some.
    boolean isShort = node.bytes() >= MAX_BYTES && bytes() >= MAX_BYTES / node.lines();
    long most = receipts >= MAX_RECEIPTS || isShort || node.results().isShort()
        ? 0
        : JobUpstream.MAX_CONNECTIONS - (runs.size() - receipts);
    return (int) Math.max(0, Math.min(CLAIMED_AT_ONCE, most));
  }

  /** Claims again at the next tick. */
  void wake() {
    dueNanos = System.nanoTime();
    isWoken = true;
  }

  /** Claims jobs when it is time. */
  void claimWhenDue() {
    if (!isClaiming && System.nanoTime() - dueNanos >= 0) {
      isWoken = false;
      claim();
    }
  }

  private void claim() {
    isClaiming = true;
    long askedNanos = System.nanoTime();
    claims++;
    String claim = node.name() + ":" + claims;
    List<String> lost = List.copyOf(unanswered);
    Future.fromCompletionStage(
            node.store()
                .claim(
                    operation,
                    rule(),
                    claim,
                    lost,
                    new Wanted(HORIZON_MICROS + 2 * leadMicros, leadMicros, room())),
            context)
        .onComplete(claimed -> {
          isClaiming = false;
          if (claimed.succeeded()) {
            lost.forEach(unanswered::remove);
            long took = NANOSECONDS.toMicros(System.nanoTime() - askedNanos);
            leadMicros = Math.min(HORIZON_MICROS / 2, took * 2);
            begin(claimed.result(), claim, askedNanos);
          } else {
            unanswered.add(claim);
            unanswered.removeIf(old -> unanswered.size() > MAX_UNANSWERED);
            away(claimed.cause());
          }
          node.ended();
        });
  }

  // Logged once per outage.
  private void away(Throwable error) {
    dueNanos = System.nanoTime() + LATER_NANOS;
    if (!isAway) {
      isAway = true;
      LOG.warn("no jobs of {} until Redis answers: {}", operation, error.toString());
    }
  }

  private void begin(ClaimedJobs claimed, String claim, long askedNanos) {
    isAway = false;
    settlements.carryOut(operation, claimed.settlements());
    node.meters().queue(operation, claimed);
    boolean mayBeMore = claimed.work().size() >= CLAIMED_AT_ONCE;
    long pause = claimed.nextMicros() >= 0
        ? Math.min(
            LATER_NANOS,
            MICROSECONDS.toNanos(claimed.nextMicros() - HORIZON_MICROS / 2 - leadMicros))
        : claimed.queue().waiting() > 0 ? SOON_NANOS : LATER_NANOS;
    dueNanos = System.nanoTime() + (mayBeMore || isWoken ? 0 : Math.max(0, pause));
    Optional<OperationRule> rule = node.operation(operation);
    Optional<Destination> to = rule.flatMap(
        known -> Destinations.of(node.policies().current().policy(), Optional.of(known)));
    for (JobWork work : claimed.work()) {
      if (node.isStopping() || to.isEmpty() || rule.isEmpty()) {
        JobMove back = work.task() == JobTask.ASK ? JobMove.letGo() : JobMove.unsent();
        Future<Boolean> unused = report(claim, work.job(), back);
      } else {
        run(new Claimed(work, askedNanos), claim, rule.get(), to.get());
      }
    }
  }

  /**
   * A job that was claimed.
   *
   * @param askedNanos when the claim was sent: delays count from then on
   */
  record Claimed(JobWork work, long askedNanos) {}

  private void run(Claimed claimed, String claim, OperationRule rule, Destination to) {
    JobRun[] itself = new JobRun[1];
    JobRun run =
        new JobRun(node.loop(), claimed, rule, to, upstream, how -> move(itself[0], claim, how));
    itself[0] = run;
    JobRun before = runs.put(run.job().name().id(), run);
    if (before != null) {
      before.stop();
      kept.drop(before);
    }
    kept.keep(run);
    run.start();
  }

  /** Stores the next state of a run's job. The run is over then, unless the upstream still has the job. */
  private Future<Boolean> move(JobRun run, String claim, JobMove how) {
    boolean isOver = !how.isTo(JobState.RECEIPT_RECEIVED);
    return report(claim, run.job(), how).onComplete(reported -> {
      if (isOver || !Boolean.TRUE.equals(reported.result())) {
        remove(run);
      }
      if (how.isTo(JobState.READY)) {
        dueNanos = Math.min(dueNanos, System.nanoTime() + SOON_NANOS);
      }
    });
  }

  private void remove(JobRun run) {
    runs.remove(run.job().name().id(), run);
    kept.drop(run);
    node.ended();
  }

  /** Gives back the jobs that only wait: they are left to other nodes. */
  void giveBackAll() {
    List.copyOf(runs.values()).forEach(run -> run.whenStopped().ifPresent(run::giveBack));
  }

  // Told again during an outage: this node alone has the answer.
  private Future<Boolean> report(String claim, Job job, JobMove how) {
    reports++;
    return Future.fromCompletionStage(
            ends.call(() -> node.store()
                .move(operation, rule(), job.name().id(), claim, job.progress().run(), how)),
            context)
        .map(moved -> {
          moved
              .filter(MovedJob::isMoved)
              .ifPresent(done -> JobEnds.moved(node.meters(), done, rule()));
          return moved.filter(MovedJob::isMoved).isPresent();
        })
        .onComplete(reported -> {
          reports--;
          node.ended();
        });
  }

  /** Renews the leases of the jobs that are due, and drops jobs that another node has claimed. */
  void renew() {
    kept.renewDue();
  }

  private CompletionStage<List<Boolean>> renew(List<JobRun> due) {
    List<String> ids = due.stream().map(run -> run.job().name().id()).toList();
    return Future.fromCompletionStage(
            node.store().renew(operation, rule(), node.name(), ids), context)
        .toCompletionStage();
  }

  private void lose(JobRun run) {
    run.stop();
    remove(run);
  }
}
