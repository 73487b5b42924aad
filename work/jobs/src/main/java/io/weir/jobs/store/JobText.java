package io.weir.jobs.store;

import io.weir.jobs.rule.Job;
import io.weir.jobs.rule.Job.AheadAtFirst;
import io.weir.jobs.rule.Job.Step;
import io.weir.jobs.rule.JobCharge;
import io.weir.jobs.rule.JobName;
import io.weir.jobs.rule.JobQueue;
import io.weir.jobs.rule.JobState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Parses answers of the scripts of jobs: a queue, and jobs as {@code lib/job_record.lua} writes them. */
public final class JobText {
  /** The number of elements that describe a queue. */
  public static final int QUEUE = 7;

  private static final int PARTS = 17;
  private static final int PARTS_WITH_CHARGE = PARTS + 2;
  private static final String NONE = "-";

  private JobText() {}

  /** The queue in an answer, from this index on; its first number is the time. */
  public static JobQueue queue(List<Object> answer, int from) {
    return new JobQueue(
        number(answer, from + 1),
        number(answer, from + 2),
        number(answer, from + 3),
        number(answer, from + 4),
        number(answer, from + 5),
        number(answer, from + 6));
  }

  /**
   * A job in an answer.
   *
   * @param at the index of its id; the job's text and its position come after it
   * @param queueAt the index of the queue
   */
  public static Job job(String operation, List<Object> answer, int queueAt, int at, long polls) {
    return of(
        operation,
        (String) answer.get(at),
        (String) answer.get(at + 1),
        new Sight(number(answer, queueAt), number(answer, at + 2), polls, queue(answer, queueAt)));
  }

  /**
   * The time and the queue at which a job was read.
   *
   * @param position less than 0 if it does not wait
   */
  public record Sight(long nowMicros, long position, long polls, JobQueue queue) {}

  /** A job. */
  public static Job of(String operation, String id, String text, Sight sight) {
    String[] parts = text.split(" ", -1);
    if (parts.length != PARTS && parts.length != PARTS_WITH_CHARGE) {
      throw new IllegalStateException("no job: " + parts.length + " parts");
    }
    return new Job(
        new JobName(operation, id, parts[9], parts[10], parts[11]),
        new Job.Progress(
            JobState.of(parts[0]).orElseThrow(),
            Long.parseLong(parts[2]),
            Integer.parseInt(parts[3]),
            Optional.of(parts[14]).filter(place -> !place.equals(NONE))),
        new Job.Times(
            Long.parseLong(parts[5]),
            Long.parseLong(parts[6]),
            sight.nowMicros(),
            story(parts[16])),
        new Job.Ahead(
            sight.position() < 0 ? OptionalLong.empty() : OptionalLong.of(sight.position()),
            new AheadAtFirst(Long.parseLong(parts[12]), Long.parseLong(parts[13])),
            sight.queue()),
        new Job.Counted(Long.parseLong(parts[7]), charge(parts)),
        sight.polls());
  }

  private static Optional<JobCharge> charge(String[] parts) {
    return parts.length == PARTS
        ? Optional.empty()
        : Optional.of(new JobCharge(parts[PARTS], parts[PARTS + 1].equals("1")));
  }

  private static List<Step> story(String text) {
    List<Step> steps = new ArrayList<>();
    for (String step : text.split(",", -1)) {
      int at = step.indexOf('@');
      steps.add(new Step(
          JobState.of(step.substring(0, at)).orElseThrow(),
          Long.parseLong(step.substring(at + 1))));
    }
    return steps;
  }

  public static long number(List<Object> answer, int index) {
    return (Long) answer.get(index);
  }
}
