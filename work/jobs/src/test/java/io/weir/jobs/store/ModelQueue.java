package io.weir.jobs.store;

import io.weir.core.throttle.Ending;
import io.weir.jobs.rule.Job;
import io.weir.jobs.rule.Job.AheadAtFirst;
import io.weir.jobs.rule.JobMove;
import io.weir.jobs.rule.JobOwner;
import io.weir.jobs.rule.JobParameter;
import io.weir.jobs.rule.JobQueue;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.rule.JobState;
import io.weir.jobs.rule.JobSubmission;
import io.weir.jobs.rule.MovedJob;
import io.weir.jobs.rule.SubmittedJob;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The queue of one operation: submissions, and steps of single jobs. Mutable; owned by its store. */
final class ModelQueue {
  private static final long PLACE_KEPT = 10_000_000;
  private static final long HEADERS_OF_RESULT = 4096;

  /** Of a request whose limits are being checked; it counts like a job. */
  record Place(String owner, String tenant, long bytes, long until) {}

  final Map<String, ModelJob> jobs = new HashMap<>();
  final Map<String, Place> places = new HashMap<>();
  final ModelSettlements settlements = new ModelSettlements();
  final ModelQueueTimes times = new ModelQueueTimes();
  private long numbers;

  SubmittedJob submit(JobRule rule, JobSubmission asked, boolean isMeant, String token, long live) {
    long now = times.see(live);
    Place place = places.get(asked.name().id());
    boolean isOwn = place != null && Long.toString(place.until).equals(token);
    boolean isOver = place != null && place.until <= now;
    if (isOwn || isOver) {
      places.remove(asked.name().id());
    }
    ModelJob known = jobs.get(asked.name().id());
    if (known != null && !mayBeginAnew(known)) {
      return known.submission.name().fingerprint().equals(asked.name().fingerprint())
          ? new SubmittedJob.Known(shown(known, known.polls, now))
          : new SubmittedJob.Other();
    }
    boolean isLate = asked.charge().isPresent() && !token.isEmpty() && !isOwn;
    if (isLate || (places.containsKey(asked.name().id()) && !isMeant)) {
      return new SubmittedJob.Awaited();
    }
    Optional<SubmittedJob> refusal = isOwn ? Optional.empty() : refusal(rule, asked, now);
    if (refusal.isPresent()) {
      return refusal.get();
    }
    return isMeant ? take(rule, asked, known, now) : keepPlace(rule, asked, now);
  }

  private static boolean mayBeginAnew(ModelJob job) {
    return job.state.isEnd() && job.state != JobState.COMPLETED;
  }

  private SubmittedJob keepPlace(JobRule rule, JobSubmission asked, long now) {
    long until = now + PLACE_KEPT;
    String owner = asked.name().tenant() + "/" + asked.name().subject();
    places.put(
        asked.name().id(), new Place(owner, asked.name().tenant(), bytes(rule, asked), until));
    return new SubmittedJob.Placed(Long.toString(until));
  }

  private static long bytes(JobRule rule, JobSubmission asked) {
    long result = rule.value(JobParameter.MAX_RESULT_BYTES) * 4 / 3 + HEADERS_OF_RESULT;
    return ModelJob.bytes(asked.request().length(), result);
  }

  private SubmittedJob take(
      JobRule rule, JobSubmission asked, @Nullable ModelJob before, long now) {
    long run = before == null ? now / 1000 : Math.max(now / 1000, before.run + 1);
    jobs.remove(asked.name().id());
    long waiting = count(ModelJob::waitsForCheck);
    long dispatch = count(ModelJob::waitsForSending);
    AheadAtFirst ahead = new AheadAtFirst(rule.isDual() ? waiting : dispatch, dispatch);
    ModelJob job = new ModelJob(asked, rule.isDual(), run, nextNumber(), now, ahead);
    job.bytes = bytes(rule, asked);
    job.until = now + rule.micros(JobParameter.TIMEOUT);
    jobs.put(asked.name().id(), job);
    return new SubmittedJob.Taken(shown(job, 0, now));
  }

  private Optional<SubmittedJob> refusal(JobRule rule, JobSubmission asked, long now) {
    String owner = asked.name().tenant() + "/" + asked.name().subject();
    long wait = Math.max(ModelQueueTimes.interval(rule), times.processing);
    if (open(owner) >= rule.value(JobParameter.CAPACITY_OF_KEY)) {
      return Optional.of(new SubmittedJob.Full(wait, JobOwner.KEY));
    } else if (open(asked.name().tenant()) >= rule.value(JobParameter.CAPACITY_OF_TENANT)) {
      return Optional.of(new SubmittedJob.Full(wait, JobOwner.TENANT));
    }
    long waiting = count(job -> job.waitsForCheck() || job.waitsForSending());
    if (waiting + places.size() >= rule.value(JobParameter.CAPACITY)) {
      return Optional.of(new SubmittedJob.Full(times.nextMoment(rule, now), JobOwner.ALL));
    }
    long bytes = bytes(rule, asked);
    if (bytes(owner) + bytes > rule.value(JobParameter.BYTES_OF_KEY)) {
      return Optional.of(new SubmittedJob.QueueFull(JobOwner.KEY));
    } else if (bytes(asked.name().tenant()) + bytes > rule.value(JobParameter.BYTES_OF_TENANT)) {
      return Optional.of(new SubmittedJob.QueueFull(JobOwner.TENANT));
    } else if (bytes("") + bytes > rule.value(JobParameter.BYTES_IN_ALL)) {
      return Optional.of(new SubmittedJob.QueueFull(JobOwner.ALL));
    }
    return Optional.empty();
  }

  private static boolean isOf(String owner, String key, String tenant) {
    return owner.isEmpty() || owner.equals(key) || owner.equals(tenant);
  }

  private long open(String owner) {
    return count(job ->
            !job.state.isEnd() && isOf(owner, job.owner(), job.submission.name().tenant()))
        + places.values().stream()
            .filter(one -> isOf(owner, one.owner, one.tenant))
            .count();
  }

  private long bytes(String owner) {
    long ofJobs = jobs.values().stream()
        .filter(job -> isOf(owner, job.owner(), job.submission.name().tenant()))
        .mapToLong(job -> job.bytes)
        .sum();
    return ofJobs
        + places.values().stream()
            .filter(one -> isOf(owner, one.owner, one.tenant))
            .mapToLong(Place::bytes)
            .sum();
  }

  void release(String id, String token) {
    places.computeIfPresent(
        id, (same, place) -> Long.toString(place.until).equals(token) ? null : place);
  }

  Optional<MovedJob> move(JobRule rule, String id, String by, long run, JobMove move, long live) {
    long now = times.see(live);
    ModelJob job = jobs.get(id);
    if (job == null) {
      return Optional.empty();
    }
    JobState before = job.state;
    long since = job.since;
    boolean isMoved = maySay(job, by, run, move) && move(rule, job, move, now);
    if (isMoved) {
      times.learn(before, job.state, Math.max(1, now - since));
    }
    return Optional.of(new MovedJob(isMoved, shown(job, 0, now), before, since));
  }

  // A result counts whoever brings it, once the job was sent; other steps are those of the holder.
  private static boolean maySay(ModelJob job, String by, long run, JobMove move) {
    boolean isRun = run == 0 || run == job.run;
    if (move.isTo(JobState.COMPLETED) && !by.equals(job.holder)) {
      return isRun && job.attempts > 0;
    }
    return isRun && (by.isEmpty() || by.equals(job.holder));
  }

  private boolean move(JobRule rule, ModelJob job, JobMove move, long now) {
    long keep = rule.micros(JobParameter.KEEP);
    boolean isSent = job.state == JobState.IN_FLIGHT;
    if (move.word().equals(JobMove.letGo().word())) {
      return letGo(job, now);
    } else if (move.word().equals(JobMove.unsent().word())) {
      return takeBack(job, now);
    } else if (move.word().equals(JobMove.again().word())) {
      return (isSent && job.attempts >= rule.value(JobParameter.ATTEMPTS))
          ? end(job, JobState.FAILED, move, now, keep)
          : again(job, move, now);
    }
    JobState to = JobState.of(move.word()).orElseThrow();
    if (to.isEnd()) {
      return end(job, to, move, now, keep);
    }
    if (!job.enter(to, now)) {
      return false;
    }
    job.order = nextNumber();
    job.leaseUntil = now + rule.micros(JobParameter.LEASE);
    job.receipt = move.receipt().isEmpty() ? job.receipt : move.receipt();
    job.holder = to == JobState.READY ? ModelJob.NOBODY : job.holder;
    return true;
  }

  private boolean again(ModelJob job, JobMove move, long now) {
    if (move.mayHaveRun() && job.state == JobState.IN_FLIGHT) {
      job.noteAttempt();
    }
    return giveBack(job, false, now);
  }

  /** Ends a job, and leaves the settlement of its charge. */
  boolean end(ModelJob job, JobState how, JobMove move, long now, long keep) {
    Ending ending = move.ending().orElseGet(job::ending);
    boolean isEnded = job.end(how, move.result(), now, keep);
    if (isEnded) {
      settlements.leave(job.submission, ending, now);
    }
    return isEnded;
  }

  private static boolean letGo(ModelJob job, long now) {
    if (job.state != JobState.RECEIPT_RECEIVED) {
      return false;
    }
    job.holder = ModelJob.NOBODY;
    job.leaseUntil = now;
    return true;
  }

  /** Gives back a job that was not sent, or asks another node for its result. */
  boolean takeBack(ModelJob job, long now) {
    job.attempts = Math.max(0, job.attempts - (job.state == JobState.IN_FLIGHT ? 1 : 0));
    return giveBack(job, true, now);
  }

  /** Moves a job to the front or to the end of the queue that it came from. */
  boolean giveBack(ModelJob job, boolean isToFront, long now) {
    boolean isToCheck = job.state == JobState.CHECKING || !job.isDual;
    if (!job.enter(isToCheck ? JobState.QUEUED : JobState.READY, now)) {
      return false;
    }
    job.order = nextNumber() - (isToFront ? 1L << 50 : 0);
    job.holder = ModelJob.NOBODY;
    return true;
  }

  private long nextNumber() {
    return ++numbers;
  }

  long count(Predicate<ModelJob> which) {
    return jobs.values().stream().filter(which).count();
  }

  /** The jobs of a set, in the order of their places. */
  List<ModelJob> inOrder(Predicate<ModelJob> which) {
    Stream<ModelJob> some = jobs.values().stream().filter(which);
    return some.sorted(Comparator.comparingLong(job -> job.order)).toList();
  }

  JobQueue view() {
    return new JobQueue(
        count(ModelJob::waitsForCheck),
        count(ModelJob::waitsForSending),
        count(job -> job.state == JobState.CHECKING),
        count(ModelJob::isRunning),
        times.check,
        times.processing);
  }

  Job shown(ModelJob job, long polls, long now) {
    long position = job.waitsForCheck()
        ? inOrder(ModelJob::waitsForCheck).indexOf(job)
        : inOrder(ModelJob::waitsForSending).indexOf(job);
    return job.shown(now, position, polls, view());
  }
}
