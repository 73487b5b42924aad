package io.weir.jobs.store;

import io.weir.core.throttle.Ending;
import io.weir.jobs.rule.Job;
import io.weir.jobs.rule.Job.AheadAtFirst;
import io.weir.jobs.rule.Job.Step;
import io.weir.jobs.rule.JobCharge;
import io.weir.jobs.rule.JobName;
import io.weir.jobs.rule.JobParameter;
import io.weir.jobs.rule.JobQueue;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.rule.JobState;
import io.weir.jobs.rule.JobSubmission;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** A job of a {@link ModelQueue}. Mutable; owned by its queue. */
final class ModelJob {
  static final String NOBODY = "-";
  private static final int STEPS_KEPT = 20;
  private static final long BYTES_OF_JOB = 500;

  final JobSubmission submission;
  final boolean isDual;
  final long run;
  final long number;
  final long submitted;
  final AheadAtFirst aheadAtFirst;
  final List<Step> story = new ArrayList<>();
  JobState state = JobState.QUEUED;
  int attempts;
  long since;
  long bytes;
  String holder = NOBODY;
  String receipt = "";
  /** Whether the upstream may have executed it in an attempt that is over. */
  boolean mayHaveRun;

  String result = "";
  /** How often its caller has asked; -1 once it has received the end. */
  long polls;
  /** Its place in a queue: the lowest is first. */
  long order;
  /** The end of its lease. */
  long leaseUntil;
  /** When it times out, or is forgotten after its end. */
  long until;

  ModelJob(
      JobSubmission submission,
      boolean isDual,
      long run,
      long number,
      long now,
      AheadAtFirst aheadAtFirst) {
    this.submission = submission;
    this.isDual = isDual;
    this.run = run;
    this.number = number;
    this.order = number;
    this.submitted = now;
    this.since = now;
    this.aheadAtFirst = aheadAtFirst;
    this.story.add(new Step(state, now));
  }

  /** The job as it is now, for an answer that shows it so. */
  ModelJob copy() {
    ModelJob copy = new ModelJob(submission, isDual, run, number, submitted, aheadAtFirst);
    copy.story.clear();
    copy.story.addAll(story);
    copy.state = state;
    copy.attempts = attempts;
    copy.since = since;
    copy.bytes = bytes;
    copy.receipt = receipt;
    copy.mayHaveRun = mayHaveRun;
    return copy;
  }

  String id() {
    return submission.name().id();
  }

  String owner() {
    return submission.name().tenant() + "/" + submission.name().subject();
  }

  boolean waitsForCheck() {
    return state == JobState.QUEUED && isDual;
  }

  boolean waitsForSending() {
    return state == JobState.READY || (state == JobState.QUEUED && !isDual);
  }

  boolean isRunning() {
    return state == JobState.IN_FLIGHT || state == JobState.RECEIPT_RECEIVED;
  }

  boolean hasLease() {
    return state == JobState.CHECKING || isRunning();
  }

  ModelJob renew(JobRule rule, long now) {
    leaseUntil = now + rule.micros(JobParameter.LEASE);
    return this;
  }

  /** Enters a state, if the transition is allowed. */
  boolean enter(JobState next, long at) {
    if (!state.next().contains(next)) {
      return false;
    }
    state = next;
    since = at;
    if (story.size() >= STEPS_KEPT) {
      story.remove(1); // the first step is kept
    }
    story.add(new Step(next, at));
    return true;
  }

  /** The upstream may have executed it, if it was sent. */
  void noteAttempt() {
    mayHaveRun |= isRunning();
  }

  /** What becomes of its charge if it ends now, and its sender does not know. */
  Ending ending() {
    return mayHaveRun || isRunning()
        ? new Ending.Settled(Ending.AS_RESERVED)
        : new Ending.Cancelled();
  }

  boolean end(JobState how, String with, long now, long keepMicros) {
    noteAttempt();
    if (!enter(how, now)) {
      return false;
    }
    holder = NOBODY;
    result = with.isEmpty() ? result : with;
    bytes = with.length() + BYTES_OF_JOB;
    until = now + keepMicros;
    return true;
  }

  static long bytes(long request, long result) {
    return request + result + BYTES_OF_JOB;
  }

  /** @param position below 0 if it does not wait */
  Job shown(long now, long position, long told, JobQueue queue) {
    return new Job(
        new JobName(
            submission.name().operation(),
            id(),
            submission.name().tenant(),
            submission.name().subject(),
            submission.name().fingerprint()),
        new Job.Progress(
            state, run, attempts, Optional.of(receipt).filter(text -> !text.isEmpty())),
        new Job.Times(submitted, since, now, story),
        new Job.Ahead(
            position < 0 ? OptionalLong.empty() : OptionalLong.of(position), aheadAtFirst, queue),
        new Job.Counted(bytes, submission.charge().map(hold -> new JobCharge(hold, mayHaveRun))),
        told);
  }
}
