package io.weir.jobs.store;

import io.weir.jobs.rule.ClaimedJobs;
import io.weir.jobs.rule.JobMove;
import io.weir.jobs.rule.JobParameter;
import io.weir.jobs.rule.JobQueue;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.rule.JobSettlement;
import io.weir.jobs.rule.JobState;
import io.weir.jobs.rule.JobTask;
import io.weir.jobs.rule.JobWork;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** The claims of nodes on a queue, and the work that it hands out. Mutable; owned by its store. */
final class ModelClaims {
  private static final long TWO_HOURS = 7_200_000_000L;
  private static final long STRICT = 5_000_000;
  private static final long OLD_PLACES = 1_000_000;
  private static final long MOST_BYTES = 1 << 20;

  /** A question of a node. */
  record Asked(
      String claim, Collection<String> unanswered, long horizonMicros, long leadMicros, int most) {
    String node() {
      return claim.substring(0, claim.indexOf(':'));
    }
  }

  private record Work(JobTask task, long delay, ModelJob job, String request) {}

  private record Noted(String claim, long at, List<String> ids) {}

  private final ModelQueue queue;
  private final Map<String, Noted> noted = new HashMap<>();
  private long forgotten;
  private long others;
  private long placesLooked;

  ModelClaims(ModelQueue queue) {
    this.queue = queue;
  }

  /** One call. Mutable; for one call. */
  private static final class Call {
    final JobRule rule;
    final Asked asked;
    final long now;
    final List<Work> work = new ArrayList<>();
    long givenBack;
    long timedOut;
    long failed;

    Call(JobRule rule, Asked asked, long now) {
      this.rule = rule;
      this.asked = asked;
      this.now = now;
    }

    boolean isEnough() {
      return work.size() >= asked.most
          || work.stream().mapToLong(one -> one.request.length()).sum() >= MOST_BYTES;
    }

    long lease() {
      return rule.micros(JobParameter.LEASE);
    }

    void handOut(JobTask task, long delay, ModelJob job) {
      job.holder = asked.claim;
      String request = task == JobTask.ASK ? "" : job.submission.request();
      work.add(new Work(task, delay, job.copy(), request));
    }
  }

  ClaimedJobs claim(JobRule rule, Asked asked, long live) {
    Call call = new Call(rule, asked, queue.times.see(live));
    takeBack(call);
    endLeases(call, job -> job.state == JobState.CHECKING);
    endLeases(call, ModelJob::isRunning);
    endTimes(call);
    freeOldPlaces(call.now);
    checkSome(call);
    long next = sendSome(call);
    note(call);
    List<JobSettlement> settlements = queue.settlements.due(call.now);
    JobQueue view = queue.view();
    List<JobWork> work = call.work.stream()
        .map(one ->
            new JobWork(one.task, one.delay, one.job.shown(call.now, -1, 0, view), one.request))
        .toList();
    return new ClaimedJobs(
        view,
        new ClaimedJobs.Overdue(call.givenBack, call.timedOut, call.failed),
        view.dispatch() > 0 ? next - call.now : -1,
        settlements,
        work);
  }

  private List<ModelJob> byNumber(Predicate<ModelJob> which) {
    return queue.jobs.values().stream()
        .filter(which)
        .sorted(Comparator.comparingLong(job -> job.number))
        .toList();
  }

  /** The jobs of the node's last claim, if its answer was lost, were never sent. */
  private void takeBack(Call call) {
    Noted last = noted.get(call.asked.node());
    if (last == null || !call.asked.unanswered.contains(last.claim)) {
      return;
    }
    for (ModelJob job :
        byNumber(one -> last.ids.contains(one.id()) && one.holder.equals(last.claim))) {
      if (job.state == JobState.RECEIPT_RECEIVED) {
        job.leaseUntil = call.now;
      } else {
        queue.takeBack(job, call.now);
      }
    }
  }

  private void endLeases(Call call, Predicate<ModelJob> which) {
    for (ModelJob job : byNumber(which.and(one -> one.leaseUntil <= call.now))) {
      boolean isLast = job.attempts >= call.rule.value(JobParameter.ATTEMPTS);
      if (job.state == JobState.RECEIPT_RECEIVED) {
        resume(call, job);
      } else if (job.state == JobState.IN_FLIGHT && isLast) {
        end(call, job, JobState.FAILED);
        call.failed++;
      } else {
        job.noteAttempt();
        queue.giveBack(job, true, call.now);
        call.givenBack++;
      }
    }
  }

  private void end(Call call, ModelJob job, JobState how) {
    queue.end(job, how, JobMove.to(how), call.now, call.rule.micros(JobParameter.KEEP));
  }

  /** A job with a receipt is not sent again: its result is asked for. */
  private static void resume(Call call, ModelJob job) {
    if (!call.isEnough()) {
      job.leaseUntil = call.now + call.lease();
      call.handOut(JobTask.ASK, 0, job);
    }
  }

  private void endTimes(Call call) {
    for (ModelJob job : byNumber(one -> one.until <= call.now)) {
      if (job.state.isEnd()) {
        queue.jobs.remove(job.id());
      } else {
        end(call, job, JobState.TIMED_OUT);
        call.timedOut++;
      }
    }
  }

  private void freeOldPlaces(long now) {
    if (!queue.places.isEmpty() && now - placesLooked >= OLD_PLACES) {
      placesLooked = now;
      queue.places.values().removeIf(place -> place.until() <= now);
    }
  }

  /** A key has at most half of the checks while other keys wait, or have waited lately. */
  private void checkSome(Call call) {
    long most = call.rule.value(JobParameter.READINESS_CONCURRENCY);
    long room = most - queue.count(job -> job.state == JobState.CHECKING);
    List<ModelJob> later = new ArrayList<>();
    boolean isOfOthers = false;
    for (ModelJob job : queue.inOrder(ModelJob::waitsForCheck)) {
      if (room > 0 && 2 * checks(job.owner()) >= most) {
        later.add(job);
      } else if (room > 0 && check(call, job)) {
        isOfOthers |= !later.isEmpty();
        room--;
      }
    }
    others = isOfOthers ? call.now : others;
    if (call.now - others >= STRICT) {
      later.stream().limit(Math.max(0, room)).forEach(job -> check(call, job));
    }
  }

  private long checks(String owner) {
    return queue.count(job -> job.state == JobState.CHECKING && job.owner().equals(owner));
  }

  private static boolean check(Call call, ModelJob job) {
    if (call.isEnough() || !job.enter(JobState.CHECKING, call.now)) {
      return false;
    }
    job.leaseUntil = call.now + call.lease();
    call.handOut(JobTask.CHECK, 0, job);
    return true;
  }

  /** Each job has a moment of its own, one interval after the job before. */
  private long sendSome(Call call) {
    long interval = ModelQueueTimes.interval(call.rule);
    long first = Math.max(call.now + call.asked.leadMicros, queue.times.nextTurn(call.rule));
    long next = first;
    for (ModelJob job : queue.inOrder(ModelJob::waitsForSending)) {
      if (next > call.now + call.asked.horizonMicros || call.isEnough()) {
        break;
      }
      job.attempts++;
      job.enter(JobState.IN_FLIGHT, next);
      job.leaseUntil = next + call.lease();
      call.handOut(JobTask.SEND, next - call.now, job);
      next += interval;
    }
    if (next > first) {
      queue.times.sent(call.rule, next);
    }
    return next;
  }

  private void note(Call call) {
    List<String> ids = call.work.stream().map(one -> one.job.id()).toList();
    if (ids.isEmpty()) {
      noted.remove(call.asked.node());
    } else {
      noted.put(call.asked.node(), new Noted(call.asked.claim, call.now, ids));
    }
    if (call.now - forgotten >= TWO_HOURS) {
      forgotten = call.now;
      noted.values().removeIf(one -> one.at < call.now - TWO_HOURS);
    }
  }
}
