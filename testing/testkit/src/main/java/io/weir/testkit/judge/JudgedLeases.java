package io.weir.testkit.judge;

import static io.weir.testkit.judge.Verdict.require;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Scope;
import io.weir.core.lease.Lease;
import io.weir.core.lease.LeaseReport;
import io.weir.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * A random history of nodes that lease parts of one bucket, judged by a {@link LeaseJudge}: reports and answers get lost
 * or arrive twice, nodes end without a word, the policy changes and the clock is set back. Where several pools play it,
 * their answers must be equal. Mutable; owned by one test.
 */
public final class JudgedLeases {
  private static final long SECOND = 1_000_000;
  private static final Duration MARGIN = Duration.ofMillis(20);
  private static final int NODES = 4;

  private final Random random;
  private final ManualClock clock;
  private final List<Pool> pools;
  private final LeaseJudge judge;
  private final List<Lease> nodes = new ArrayList<>();
  private final List<LeaseReport> sent = new ArrayList<>();
  private final Story story;
  private Bucket bucket;
  private long revision = 1;
  private long names;

  /** The shared side, on the clock of the history. */
  @FunctionalInterface
  public interface Pool {
    /** Takes a report. */
    Answer exchange(Bucket bucket, long revision, LeaseReport report);
  }

  /** An answer; if nothing was granted because a later report has arrived, {@link #LATE}. */
  public record Answer(
      long granted, long used, long out, long waitMicros, long holders, long before) {
    /** A later report has arrived. */
    public static final Answer LATE = new Answer(-1, 0, 0, 0, 0, 0);
  }

  /** @param pools of which none was used, on this clock */
  public JudgedLeases(long seed, ManualClock clock, List<Pool> pools) {
    this.story = new Story(seed, clock);
    this.random = new Random(seed);
    this.clock = clock;
    this.pools = List.copyOf(pools);
    this.judge = new LeaseJudge(clock);
    this.bucket = newBucket();
    for (int i = 0; i < NODES; i++) {
      nodes.add(newNode());
    }
  }

  /** Plays so many steps; a failure shows the last of them. */
  public void run(int steps) {
    try {
      for (int i = 0; i < steps; i++) {
        story.nextStep();
        next();
      }
    } catch (AssertionError e) {
      throw story.of(e);
    }
  }

  private void next() {
    int i = random.nextInt(NODES);
    switch (random.nextInt(300)) {
      case 0 -> changePolicy();
      case 1 -> setClockBack();
      case 2, 3, 4 -> nodes.set(i, newNode());
      case 5, 6, 7, 8, 9 -> repeat();
      default -> {
        long rarely = random.nextInt(40) == 0 ? random.nextLong(200 * SECOND) : 7;
        clock.advance(one(0, 1, 1000, random.nextInt(50_000), random.nextInt(300_000), rarely));
        if (random.nextBoolean()) {
          report(nodes.get(i));
        } else {
          spend(nodes.get(i));
        }
      }
    }
  }

  private void changePolicy() {
    bucket = newBucket();
    revision++;
    nodes.replaceAll(node -> newNode());
    sent.clear();
    note("policy " + bucket);
  }

  private void setClockBack() {
    clock.advance(-one(1, 700, SECOND / 10, SECOND, 3600 * SECOND, SECOND));
    judge.setBack();
    note("clock set back");
  }

  private void repeat() {
    if (!sent.isEmpty()) {
      Answer answer = exchange(sent.get(random.nextInt(sent.size())));
      if (!answer.equals(Answer.LATE)) {
        judge.used(shape());
      }
    }
  }

  private void report(Lease node) {
    long operation = bucket.unitsPerOperation();
    long capacity = bucket.capacityUnits();
    long wants = one(0, operation, capacity / 8, capacity / 2, capacity, capacity);
    long least = Math.max(1, one(1, operation, operation, wants / 2, wants, wants));
    long earmark = random.nextInt(3) == 0 ? one(0, least, least, wants, capacity / 2, capacity) : 0;
    long most = random.nextInt(4) == 0 ? capacity / 8 : capacity;
    long sentAt = nanos();
    LeaseReport report = node.report(most, wants, least, earmark, sentAt);
    if (random.nextInt(12) == 0) {
      note(report + " was lost");
      node.unanswered(report);
      return;
    }
    Answer answer = exchange(report);
    sent.add(report);
    if (sent.size() > NODES) {
      sent.remove(0);
    }
    if (answer.granted() >= 0) {
      judge.granted(shape(), wants, least, answer.granted());
    }
    if (random.nextInt(12) == 0) {
      note("the answer was lost");
      node.unanswered(report);
      return;
    }
    long deadline = sentAt + Lease.LASTS.minus(MARGIN).toNanos();
    node.granted(report, answer.granted(), deadline, nanos());
  }

  private Answer exchange(LeaseReport report) {
    Answer first = pools.get(0).exchange(bucket, revision, report);
    note(report + "\n  -> " + first);
    for (Pool other : pools.subList(1, pools.size())) {
      Answer answer = other.exchange(bucket, revision, report);
      require(answer.equals(first), "another answer:", answer);
    }
    return first;
  }

  private void spend(Lease node) {
    long balance = node.balance(nanos());
    long units = one(1, bucket.unitsPerOperation(), balance / 2, balance, balance, balance);
    if (units <= 0 || !node.has(units, nanos())) {
      return;
    }
    boolean isSpent = random.nextInt(8) > 0;
    node.settle(node.take(units), isSpent);
    if (isSpent) {
      note(node.holder() + " spends " + units);
      judge.spent(shape(), units);
    }
  }

  private RateJudge.Shape shape() {
    return new RateJudge.Shape(
        bucket.name(), bucket.rate().toString(), bucket.unitsPerMicro(), bucket.capacityUnits());
  }

  private Bucket newBucket() {
    long milliOps = one(1000, 7000, 100_000, 200_000, 1_000_000, 20_000_000);
    long burst = Math.max(1_000_000 / milliOps, one(1, 30, 100, 1000, 1000, 5000));
    return new Bucket("leased", Scope.CLUSTER, milliOps, burst + 1);
  }

  private Lease newNode() {
    names++;
    return new Lease("n" + random.nextInt(10) + "-" + names);
  }

  private void note(String text) {
    story.note(() -> text);
  }

  // Nodes measure the time that passes.
  private long nanos() {
    return TimeUnit.MICROSECONDS.toNanos(clock.passedMicros());
  }

  private long one(long... of) {
    return of[random.nextInt(of.length)];
  }
}
