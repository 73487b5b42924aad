package io.weir.jobs.store;

import io.weir.jobs.rule.ClaimedJobs;
import io.weir.jobs.rule.Job;
import io.weir.jobs.rule.JobOwner;
import io.weir.jobs.rule.JobQueue;
import io.weir.jobs.rule.JobState;
import io.weir.jobs.rule.JobTask;
import io.weir.jobs.rule.JobWork;
import io.weir.jobs.rule.MovedJob;
import io.weir.jobs.rule.SeenJob;
import io.weir.jobs.rule.SubmittedJob;
import io.weir.jobs.store.JobStatuses.JobStep;
import io.weir.jobs.store.JobStatuses.JobSubmit;
import io.weir.state.wire.Statuses;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads the answers of the scripts of jobs. */
public final class JobReplies {
  private static final int HEAD_OF_CLAIM = JobText.QUEUE + 5;
  private static final int PARTS_OF_WORK = 5;
  private static final int PARTS_OF_LOOK = 5;
  private static final List<JobOwner> OWNERS = List.of(JobOwner.values());
  private static final List<JobOwner> FULL = List.of(JobOwner.ALL, JobOwner.KEY, JobOwner.TENANT);

  private JobReplies() {}

  /** The answer of {@code job_submit.lua}. */
  public static SubmittedJob submitted(String operation, List<Object> answer) {
    return switch (Statuses.of(JobSubmit.class, answer.get(0))) {
      case TAKEN -> new SubmittedJob.Taken(job(operation, answer));
      case KNOWN -> new SubmittedJob.Known(job(operation, answer));
      case OTHER -> new SubmittedJob.Other();
      case FULL ->
        new SubmittedJob.Full(
            JobText.number(answer, 1), FULL.get(Math.toIntExact(JobText.number(answer, 2))));
      case PLACED -> new SubmittedJob.Placed(Long.toString(JobText.number(answer, 1)));
      case AWAITED -> new SubmittedJob.Awaited();
      case NO_ROOM ->
        new SubmittedJob.QueueFull(OWNERS.get(Math.toIntExact(JobText.number(answer, 1)) - 1));
    };
  }

  private static Job job(String operation, List<Object> answer) {
    return JobText.job(
        operation, answer, 1, 1 + JobText.QUEUE, JobText.number(answer, answer.size() - 1));
  }

  /** The answer of {@code job_look.lua}. */
  public static List<Optional<SeenJob>> seen(String operation, List<Object> answer) {
    List<Optional<SeenJob>> seen = new ArrayList<>();
    for (int at = JobText.QUEUE; at < answer.size(); at += PARTS_OF_LOOK) {
      boolean isThere = !((String) answer.get(at + 1)).isEmpty();
      seen.add(isThere ? Optional.of(seen(operation, answer, at)) : Optional.empty());
    }
    return seen;
  }

  private static SeenJob seen(String operation, List<Object> answer, int at) {
    return new SeenJob(
        JobText.job(operation, answer, 0, at, JobText.number(answer, at + 3)),
        (String) answer.get(at + 4));
  }

  /** The answer of {@code job_claim.lua}. */
  public static ClaimedJobs claimed(String operation, List<Object> answer) {
    JobQueue queue = JobText.queue(answer, 0);
    List<JobWork> work = new ArrayList<>();
    for (int at = HEAD_OF_CLAIM; at < answer.size(); at += PARTS_OF_WORK) {
      Job job = JobText.of(
          operation,
          (String) answer.get(at + 2),
          (String) answer.get(at + 3),
          new JobText.Sight(JobText.number(answer, 0), -1, 0, queue));
      JobTask task = switch ((String) answer.get(at)) {
        case "c" -> JobTask.CHECK;
        case "s" -> JobTask.SEND;
        default -> JobTask.ASK;
      };
      work.add(new JobWork(task, JobText.number(answer, at + 1), job, (String) answer.get(at + 4)));
    }
    return new ClaimedJobs(
        queue,
        new ClaimedJobs.Overdue(
            JobText.number(answer, JobText.QUEUE),
            JobText.number(answer, JobText.QUEUE + 1),
            JobText.number(answer, JobText.QUEUE + 2)),
        JobText.number(answer, JobText.QUEUE + 3),
        SettlementText.parse((String) answer.get(JobText.QUEUE + 4)),
        work);
  }

  /** The answer of {@code job_step.lua}. */
  public static Optional<MovedJob> moved(String operation, List<Object> answer) {
    JobStep status = Statuses.of(JobStep.class, answer.get(0));
    if (status == JobStep.NO_JOB) {
      return Optional.empty();
    }
    int last = answer.size() - 1;
    return Optional.of(new MovedJob(
        status == JobStep.MOVED,
        JobText.job(operation, answer, 1, 1 + JobText.QUEUE, 0),
        JobState.of((String) answer.get(last - 1)).orElseThrow(),
        JobText.number(answer, last)));
  }
}
