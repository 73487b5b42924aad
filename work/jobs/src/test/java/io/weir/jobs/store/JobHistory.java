package io.weir.jobs.store;

import io.weir.core.throttle.Ending;
import io.weir.jobs.rule.ClaimedJobs;
import io.weir.jobs.rule.Job;
import io.weir.jobs.rule.JobMove;
import io.weir.jobs.rule.JobName;
import io.weir.jobs.rule.JobParameter;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.rule.JobSettlement;
import io.weir.jobs.rule.JobState;
import io.weir.jobs.rule.JobStore;
import io.weir.jobs.rule.JobSubmission;
import io.weir.jobs.rule.JobTask;
import io.weir.jobs.rule.JobWork;
import io.weir.jobs.rule.MovedJob;
import io.weir.jobs.rule.SeenJob;
import io.weir.jobs.rule.SubmittedJob;
import io.weir.jobs.rule.SubmittedJob.Placed;
import io.weir.testkit.History;
import io.weir.testkit.ManualClock;
import io.weir.testkit.OddTimes;
import io.weir.testkit.StorePair;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A history of one queue of jobs: callers that submit, repeat, cancel and poll; nodes that claim, move, renew, die, and
 * do not hear answers; results that come late or from elsewhere; changed settings; a clock that is set back. Mutable;
 * owned by one test.
 */
final class JobHistory implements History {
  private static final long SECOND = 1_000_000;
  private static final long LONGEST_STEP = 400 * SECOND;
  private static final int JOBS = 24;
  private static final int KEPT = 40;
  private static final List<String> NODES = List.of("n0", "n1", "n2");
  private static final List<String> OWNERS = List.of("t0/k0", "t0/k1", "t1/k2");

  private record Held(String id, String claim, JobTask task, long run) {}

  private record Kept(JobSubmission submission, Placed place) {}

  private final Random random;
  private final StorePair<JobStore> stores;
  private final OddTimes times;
  private final String operation;
  private final List<Held> held = new ArrayList<>();
  private final List<Held> ended = new ArrayList<>();
  private final List<Kept> places = new ArrayList<>();
  /** Jobs that have ended without an answer. */
  private final Set<String> lost = new HashSet<>();

  private final Map<String, String> lastClaims = new HashMap<>();
  private JobRule rule;
  private int claims;
  private int charges;
  private List<JobSettlement> settlements = List.of();

  JobHistory(long seed, String operation, ManualClock clock, JobStore model, JobStore other) {
    this.random = new Random(seed);
    this.stores = new StorePair<>(seed, clock, model, other);
    this.times = new OddTimes(random, clock, LONGEST_STEP);
    this.operation = operation;
    this.rule = anyRule();
  }

  @Override
  public StorePair<JobStore> stores() {
    return stores;
  }

  /** Makes the next call, and sometimes compares all jobs after it. */
  @Override
  public void step() {
    times.move();
    if (random.nextInt(80) == 0) {
      rule = anyRule();
    }
    int dice = random.nextInt(100);
    if (dice < 20) {
      submit();
    } else if (dice < 28) {
      keepPlace();
    } else if (dice < 34) {
      endPlace();
    } else if (dice < 54) {
      claim();
    } else if (dice < 84) {
      move();
    } else if (dice < 88) {
      renew();
    } else if (dice < 91) {
      if (!settlements.isEmpty()) {
        settled();
      }
    } else {
      look();
    }
    if (random.nextInt(8) == 0) {
      lookAtAll();
    }
  }

  private JobRule anyRule() {
    Map<JobParameter, Long> values = new EnumMap<>(JobParameter.class);
    values.put(JobParameter.DISPATCH_PER_SECOND, any(1, 3, 10, 70));
    values.put(JobParameter.READINESS_CONCURRENCY, any(1, 2, 4, 7));
    values.put(JobParameter.CAPACITY, any(2, 5, 9, 30));
    values.put(JobParameter.CAPACITY_OF_KEY, any(2, 5, 9, 30));
    values.put(JobParameter.CAPACITY_OF_TENANT, any(3, 6, 15, 30));
    values.put(JobParameter.ATTEMPTS, any(1, 2, 3, 5));
    values.put(JobParameter.LEASE, any(1000, 3000, 10_000, 30_000));
    values.put(JobParameter.TIMEOUT, any(20_000, 300_000, 1_800_000, 1_800_000));
    values.put(JobParameter.KEEP, any(1000, 60_000, 600_000, 3_600_000));
    values.put(JobParameter.MAX_WAIT, any(1000, 2000, 60_000, 300_000));
    values.put(JobParameter.MAX_RESULT_BYTES, any(0, 100, 1000, 16_000));
    values.put(JobParameter.BYTES_OF_KEY, any(20_000, 50_000, 1 << 20, 1 << 20, 1 << 20, 1 << 20));
    values.put(
        JobParameter.BYTES_OF_TENANT, any(25_000, 60_000, 1 << 20, 1 << 20, 1 << 20, 1 << 20));
    values.put(JobParameter.BYTES_IN_ALL, any(30_000, 70_000, 1 << 20, 1 << 20, 1 << 20, 1 << 20));
    Optional<String> path = random.nextBoolean() ? Optional.of("/ready") : Optional.empty();
    return new JobRule(
        values,
        new JobRule.Waits(false, true, List.of()),
        new JobRule.Protocol(path, false, Set.of(), Set.of()));
  }

  private long any(long... some) {
    return some[random.nextInt(some.length)];
  }

  private <T> T any(List<T> some) {
    return some.get(random.nextInt(some.size()));
  }

  private static String id(int number) {
    return "%032x".formatted(number);
  }

  private String anyId() {
    return id(random.nextInt(JOBS));
  }

  private JobSubmission anySubmission() {
    int number = random.nextInt(JOBS);
    String[] owner = OWNERS.get(number % OWNERS.size()).split("/", -1);
    String fingerprint = random.nextInt(30) == 0 ? "other" : "f" + number;
    Optional<String> charge =
        random.nextBoolean() ? Optional.of("c" + ++charges) : Optional.empty();
    return new JobSubmission(
        new JobName(operation, id(number), owner[0], owner[1], fingerprint),
        "request " + number,
        charge);
  }

  private void submit() {
    JobSubmission asked = anySubmission();
    answered(stores.ask("submit %s %s".formatted(asked, rule), it -> it.submit(rule, asked)));
  }

  private void answered(SubmittedJob answer) {
    if (answer instanceof SubmittedJob.Full full) {
      times.endsIn(full.waitMicros());
      stores.count("Full " + full.owner());
    } else if (answer instanceof SubmittedJob.QueueFull none) {
      stores.count("QueueFull " + none.owner());
    } else if (answer instanceof SubmittedJob.Taken taken) {
      stores.count(lost.remove(taken.job().name().id()) ? "taken anew" : "taken");
      if (random.nextInt(5) == 0) {
        times.endsIn(rule.micros(JobParameter.TIMEOUT));
      }
    }
  }

  private void keepPlace() {
    JobSubmission asked = anySubmission();
    SubmittedJob answer =
        stores.ask("keepPlace %s %s".formatted(asked, rule), it -> it.keepPlace(rule, asked));
    answered(answer);
    if (answer instanceof Placed place) {
      keep(places, new Kept(asked, place));
      times.endsIn(10 * SECOND);
    }
  }

  // Places stay in the list: they are used twice and too late, too.
  private void endPlace() {
    if (places.isEmpty()) {
      return;
    }
    Kept kept = any(places);
    if (random.nextInt(3) == 0) {
      stores.ask(
          "release %s".formatted(kept),
          it -> it.release(kept.submission, kept.place).thenApply(done -> "released"));
    } else {
      answered(stores.ask(
          "submitPlaced %s %s".formatted(kept, rule),
          it -> it.submit(rule, kept.submission, kept.place)));
    }
  }

  private <T> void keep(List<T> some, T one) {
    some.add(one);
    if (some.size() > KEPT) {
      some.remove(random.nextInt(KEPT));
    }
  }

  private void claim() {
    String node = any(NODES);
    String claim = node + ":" + ++claims;
    boolean isUnheard = random.nextInt(5) == 0 && lastClaims.containsKey(node);
    List<String> unheard = isUnheard ? List.of(node + ":0", lastClaims.get(node)) : List.of();
    long horizon = any(0, 200_000, SECOND);
    long lead = any(0, 0, 30_000);
    int most = (int) any(0, 1, 3, 100);
    ClaimedJobs claimed = stores.ask(
        "claim %s unheard %s horizon %d lead %d most %d %s"
            .formatted(claim, unheard, horizon, lead, most, rule),
        it -> it.claim(operation, rule, claim, unheard, new JobStore.Wanted(horizon, lead, most)));
    lastClaims.put(node, claim);
    for (JobWork work : claimed.work()) {
      Job job = work.job();
      keep(held, new Held(job.name().id(), claim, work.task(), job.progress().run()));
      stores.count(work.task().name());
      times.endsIn(work.delayMicros() + rule.micros(JobParameter.LEASE));
    }
    if (!claimed.settlements().isEmpty()) {
      settlements = claimed.settlements();
      settlements.forEach(
          one -> stores.count("settle " + one.ending().getClass().getSimpleName()));
      times.endsIn(10 * SECOND);
    }
    count("given back", claimed.overdue().givenBack());
    count("timed out", claimed.overdue().timedOut());
    count("failed", claimed.overdue().failed());
    if (claimed.nextMicros() > 0) {
      times.endsIn(claimed.nextMicros());
    }
  }

  private void count(String what, long times) {
    if (times > 0) {
      stores.count(what);
    }
  }

  // Mostly a job that is held, by its claim; sometimes one that ended, or by another.
  private void move() {
    List<Held> some = random.nextInt(6) == 0 ? ended : held;
    if (some.isEmpty() || random.nextInt(6) == 0) {
      JobState state = any(List.of(JobState.CANCELLED, JobState.COMPLETED, JobState.FAILED));
      move(anyId(), random.nextBoolean() ? "" : "n1:1", 0, JobMove.to(state, anyResult()));
      return;
    }
    Held one = some.get(some.size() - 1 - random.nextInt(Math.min(some.size(), 4)));
    JobMove move = anyMove(one.task);
    long run = random.nextInt(3) == 0 ? one.run : random.nextInt(20) == 0 ? one.run + 1 : 0;
    boolean isOver = move(one.id, random.nextInt(12) == 0 ? "" : one.claim, run, move);
    if (isOver && held.remove(one)) {
      keep(ended, one);
    }
  }

  // Nodes that have died settle nothing.
  private void settled() {
    stores.ask(
        "settled %s".formatted(settlements),
        it -> it.settled(operation, settlements).thenApply(done -> "settled"));
    settlements = List.of();
  }

  private JobMove anyMove(JobTask task) {
    JobMove move = anyUncharged(task);
    return switch (random.nextInt(4)) {
      case 0 -> move.with(Optional.of(new Ending.Cancelled()), random.nextBoolean());
      case 1 -> move.with(Optional.of(new Ending.Settled(random.nextInt(10) - 1)), true);
      default -> move;
    };
  }

  private JobMove anyUncharged(JobTask task) {
    return switch (random.nextInt(9)) {
      case 0 -> JobMove.again();
      case 1 -> JobMove.unsent();
      case 2 -> JobMove.letGo();
      case 3 -> JobMove.to(JobState.FAILED, anyResult());
      case 4 -> JobMove.received("/r/" + random.nextInt(100));
      case 5 -> JobMove.to(JobState.COMPLETED, anyResult());
      default ->
        task == JobTask.CHECK
            ? JobMove.to(JobState.READY)
            : JobMove.to(JobState.COMPLETED, anyResult());
    };
  }

  private String anyResult() {
    return random.nextInt(3) == 0 ? "" : "x".repeat(1 + random.nextInt(300));
  }

  /** Returns whether the work on the job is over. */
  private boolean move(String id, String by, long run, JobMove move) {
    Optional<MovedJob> answer = stores.ask(
        "move %s by %s run %d %s %s".formatted(id, by, run, move, rule),
        it -> it.move(operation, rule, id, by, run, move));
    stores.count(answer
        .map(moved -> (moved.isMoved() ? "moved " : "refused ") + move.word())
        .orElse("no job"));
    answer
        .filter(moved -> moved.isMoved() && moved.job().progress().state().isEnd())
        .ifPresent(moved -> ended(moved.job()));
    return answer
        .filter(
            moved -> moved.isMoved() && moved.job().progress().state() != JobState.RECEIPT_RECEIVED)
        .isPresent();
  }

  private void ended(Job job) {
    if (random.nextInt(5) == 0) {
      times.endsIn(rule.micros(JobParameter.KEEP));
    }
    if (job.progress().state() != JobState.COMPLETED) {
      lost.add(job.name().id());
    }
  }

  private void renew() {
    String node = any(NODES);
    List<String> ids = Stream.concat(held.stream(), ended.stream())
        .filter(one -> one.claim.startsWith(node) && random.nextInt(3) == 0)
        .map(Held::id)
        .distinct()
        .toList();
    stores
        .ask(
            "renew %s %s %s".formatted(node, ids, rule), it -> it.renew(operation, rule, node, ids))
        .forEach(isHeld -> stores.count(isHeld ? "renewed" : "not renewed"));
    times.endsIn(rule.micros(JobParameter.LEASE));
  }

  private void look() {
    String id = anyId();
    String asking = any(OWNERS);
    Optional<SeenJob> seen =
        stores.ask("look %s of %s".formatted(id, asking), it -> it.look(operation, id, asking));
    seen.ifPresent(one -> stores.count("seen " + one.job().progress().state()));
    if (random.nextBoolean()) {
      stores.ask("see %s of %s".formatted(id, asking), it -> it.see(operation, id, asking));
    }
  }

  private void lookAtAll() {
    List<String> ids = IntStream.range(0, JOBS).mapToObj(JobHistory::id).toList();
    stores.ask("looks", it -> it.look(operation, ids));
  }
}
