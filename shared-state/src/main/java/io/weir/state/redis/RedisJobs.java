package io.weir.state.redis;

import io.lettuce.core.MapScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.weir.job.Job;
import io.weir.job.JobParameter;
import io.weir.job.JobQueue;
import io.weir.job.JobRule;
import io.weir.job.JobState;
import io.weir.state.redis.wire.JobText;
import io.weir.state.redis.wire.LuaScript;
import io.weir.state.redis.wire.RedisKeys;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The jobs of all nodes, in Redis: a queue for each operation. Safe for use by many threads; never blocks. What fails does
 * so with {@link io.weir.throttle.StoreUnavailableException}.
 */
public final class RedisJobs {
  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final int HEAD_OF_CLAIM = JobText.QUEUE + 3;
  private static final int PARTS_OF_WORK = 5;
  private static final int PARTS_OF_LOOK = 6;
  private static final int LISTED_AT_ONCE = 500;

  private final RedisConnections redis;
  private final LuaScript submit = LuaScript.load("job_submit");
  private final LuaScript look = LuaScript.load("job_look");
  private final LuaScript claim = LuaScript.load("job_claim");
  private final LuaScript step = LuaScript.load("job_step");
  private final LuaScript renew = LuaScript.load("job_renew");

  public RedisJobs(RedisConnections redis) {
    this.redis = redis;
  }

  /**
   * What a caller wants done.
   *
   * @param id 32 hexadecimal digits
   * @param fingerprint of all that is asked, without spaces
   * @param request what is handed to whoever does it
   */
  public record Submission(
      String operation,
      String id,
      String tenant,
      String subject,
      String fingerprint,
      String request) {}

  /** What became of a submission. */
  public sealed interface Submitted {
    /** It is in the queue. */
    record Taken(Job job) implements Submitted {}

    /** It would be taken into the queue. */
    record WouldBeTaken() implements Submitted {}

    /** It was there before. */
    record Known(Job job) implements Submitted {}

    /** Something else was asked by its id. */
    record Other() implements Submitted {}

    /** The queue is full; in so long there is a place for this one. */
    record Full(long waitMicros) implements Submitted {}

    /** There is no room for its bytes. */
    record NoRoom(Owner owner) implements Submitted {}
  }

  /** Whose share of the memory. */
  public enum Owner {
    KEY,
    TENANT,
    ALL
  }

  /** Says whether a job would be taken, and changes nothing but what is told to those who find the queue full. */
  public CompletionStage<Submitted> see(JobRule rule, Submission submission) {
    return submit(rule, submission, false);
  }

  /** Takes a job into the queue; twice, it is there once. */
  public CompletionStage<Submitted> submit(JobRule rule, Submission submission) {
    return submit(rule, submission, true);
  }

  private CompletionStage<Submitted> submit(JobRule rule, Submission of, boolean isMeant) {
    boolean isShort = redis.memory().isShort();
    List<String> arguments = List.of(
        of.id(),
        of.tenant(),
        of.subject(),
        of.fingerprint(),
        rule.isDual() ? "dual" : "single",
        isMeant ? "1" : "0",
        text(rule.value(JobParameter.CAPACITY)),
        text(isShort ? 0 : rule.value(JobParameter.BYTES_OF_KEY)),
        text(rule.value(JobParameter.BYTES_OF_TENANT)),
        text(rule.value(JobParameter.BYTES_IN_ALL)),
        text(rule.value(JobParameter.MAX_RESULT_BYTES)),
        text(rule.micros(JobParameter.TIMEOUT)),
        text(rule.micros(JobParameter.KEEP)),
        text(intervalMicros(rule)),
        text(rule.micros(JobParameter.MAX_WAIT)),
        of.request());
    return run(submit, of.operation(), arguments).thenApply(answer -> switch ((int)
        JobText.number(answer, 0)) {
      case 0 ->
        answer.size() > 1 + JobText.QUEUE
            ? new Submitted.Taken(submitted(of.operation(), answer))
            : new Submitted.WouldBeTaken();
      case 1 -> new Submitted.Known(submitted(of.operation(), answer));
      case 2 -> new Submitted.Other();
      case 3 -> new Submitted.Full(JobText.number(answer, 1));
      default -> new Submitted.NoRoom(Owner.values()[(int) JobText.number(answer, 1) - 1]);
    });
  }

  private static Job submitted(String operation, List<Object> answer) {
    return JobText.job(
        operation, answer, 1, 1 + JobText.QUEUE, JobText.number(answer, answer.size() - 1));
  }

  // Rounded up: never more of them than the rule says.
  private static long intervalMicros(JobRule rule) {
    long perSecond = rule.value(JobParameter.DISPATCH_PER_SECOND);
    return (MICROS_PER_SECOND + perSecond - 1) / perSecond;
  }

  /**
   * A job, and what came of it.
   *
   * @param result empty where it has not ended, or ended without one
   */
  public record Seen(Job job, String result) {}

  /**
   * How a job stands.
   *
   * @param isCounted whether its caller asks
   */
  public CompletionStage<Optional<Seen>> look(String operation, String id, boolean isCounted) {
    return look(operation, List.of(id), isCounted).thenApply(seen -> seen.get(0));
  }

  /** How jobs stand, in this order; nothing for those that nobody knows. */
  public CompletionStage<List<Optional<Seen>>> look(
      String operation, Collection<String> ids, boolean isCounted) {
    List<String> arguments = new ArrayList<>(List.of(isCounted ? "1" : "0", "1"));
    arguments.addAll(ids);
    return run(look, operation, arguments).thenApply(answer -> {
      List<Optional<Seen>> seen = new ArrayList<>();
      for (int at = JobText.QUEUE; at < answer.size(); at += PARTS_OF_LOOK) {
        boolean isThere = !((String) answer.get(at + 1)).isEmpty();
        seen.add(isThere ? Optional.of(seen(operation, answer, at)) : Optional.empty());
      }
      return seen;
    });
  }

  private static Seen seen(String operation, List<Object> answer, int at) {
    return new Seen(JobText.job(operation, answer, 0, at, JobText.number(answer, at + 4)), (String)
        answer.get(at + 5));
  }

  /** What is to be done with a job. */
  public enum Task {
    /** To ask the upstream whether it is ready. */
    CHECK,
    /** To send it. */
    SEND,
    /** To ask for its result. */
    ASK
  }

  /**
   * Something to do.
   *
   * @param delayMicros when, from now on
   * @param request what was submitted
   */
  public record Work(Task task, long delayMicros, Job job, String request) {}

  /**
   * What a node has to do.
   *
   * @param givenBack how many jobs of dead nodes went back to a queue
   * @param nextMicros the time until there may be more to send; less than 0 where nothing waits
   */
  public record Claimed(
      JobQueue queue, long givenBack, long timedOut, long nextMicros, List<Work> work) {}

  /**
   * Takes what is to be done, and ends what is over.
   *
   * @param node who will do it, without spaces
   * @param horizonMicros how far ahead jobs are handed out
   * @param most how many are wanted
   */
  public CompletionStage<Claimed> claim(
      String operation, JobRule rule, String node, long horizonMicros, int most) {
    List<String> arguments = List.of(
        node,
        text(rule.micros(JobParameter.LEASE)),
        text(horizonMicros),
        text(intervalMicros(rule)),
        text(rule.value(JobParameter.READINESS_CONCURRENCY)),
        text(most),
        text(rule.value(JobParameter.ATTEMPTS)),
        text(rule.micros(JobParameter.KEEP)),
        text(rule.micros(JobParameter.TIMEOUT)));
    return run(claim, operation, arguments).thenApply(answer -> claimed(operation, answer));
  }

  private static Claimed claimed(String operation, List<Object> answer) {
    JobQueue queue = JobText.queue(answer, 0);
    List<Work> work = new ArrayList<>();
    for (int at = HEAD_OF_CLAIM; at < answer.size(); at += PARTS_OF_WORK) {
      Job job = JobText.of(
          operation,
          (String) answer.get(at + 2),
          (String) answer.get(at + 3),
          JobText.number(answer, 0),
          -1,
          0,
          0,
          queue);
      Task task = switch ((String) answer.get(at)) {
        case "c" -> Task.CHECK;
        case "s" -> Task.SEND;
        default -> Task.ASK;
      };
      work.add(new Work(task, JobText.number(answer, at + 1), job, (String) answer.get(at + 4)));
    }
    return new Claimed(
        queue,
        JobText.number(answer, JobText.QUEUE),
        JobText.number(answer, JobText.QUEUE + 1),
        JobText.number(answer, JobText.QUEUE + 2),
        work);
  }

  /**
   * How a job was moved.
   *
   * @param isMoved whether it came to the state that was asked for
   * @param before the state that it was in
   * @param sinceMicros since when
   */
  public record Moved(boolean isMoved, Job job, JobState before, long sinceMicros) {}

  /**
   * Where a job is to come to.
   *
   * @param to a state, or nothing for the front of the queue that it came from
   * @param receipt the place that the upstream has named, without spaces; may be empty
   * @param result what came of it; may be empty
   */
  public record Move(Optional<JobState> to, String receipt, String result) {
    /** To the front of its queue. */
    public static Move back() {
      return new Move(Optional.empty(), "", "");
    }

    /** To a state. */
    public static Move to(JobState state) {
      return new Move(Optional.of(state), "", "");
    }

    /** To an end with a result. */
    public static Move to(JobState state, String result) {
      return new Move(Optional.of(state), "", result);
    }
  }

  /**
   * Moves a job, if it may come there.
   *
   * @param by the node that holds it; empty for its caller or the upstream
   * @param run which run is meant, 0 for any
   * @return nothing where there is no such job
   */
  public CompletionStage<Optional<Moved>> move(
      String operation, JobRule rule, String id, String by, int run, Move move) {
    List<String> arguments = List.of(
        id,
        by,
        Integer.toString(run),
        move.to().map(JobState::word).orElse("back"),
        text(rule.micros(JobParameter.LEASE)),
        text(rule.micros(JobParameter.KEEP)),
        text(rule.value(JobParameter.ATTEMPTS)),
        move.receipt(),
        move.result());
    return run(step, operation, arguments).thenApply(answer -> moved(operation, answer));
  }

  private static Optional<Moved> moved(String operation, List<Object> answer) {
    int code = (int) JobText.number(answer, 0);
    if (answer.size() == 1) {
      return Optional.empty();
    }
    int last = answer.size() - 1;
    return Optional.of(new Moved(
        code == 0,
        JobText.job(operation, answer, 1, 1 + JobText.QUEUE, 0),
        JobState.of((String) answer.get(last - 1)).orElseThrow(),
        JobText.number(answer, last)));
  }

  /** Holds on to jobs; gives for each whether it is held. */
  public CompletionStage<List<Boolean>> renew(
      String operation, JobRule rule, String node, List<String> ids) {
    List<String> arguments = new ArrayList<>(List.of(node, text(rule.micros(JobParameter.LEASE))));
    arguments.addAll(ids);
    return run(renew, operation, arguments)
        .thenApply(answer -> answer.stream().map(held -> (Long) held == 1).toList());
  }

  /**
   * Some of the jobs that there are, in no order.
   *
   * @param most how many at most
   */
  public CompletionStage<List<Job>> list(String operation, int most) {
    String states = RedisKeys.jobs(operation).get(7 - 1);
    return scan(states, ScanCursor.INITIAL, most, new ArrayList<>())
        .thenCompose(ids -> ids.isEmpty()
            ? CompletableFuture.completedFuture(List.of())
            : look(operation, ids, false)
                .thenApply(seen ->
                    seen.stream().flatMap(Optional::stream).map(Seen::job).toList()));
  }

  private CompletionStage<List<String>> scan(
      String key, ScanCursor from, int most, List<String> found) {
    return redis
        .ask(commands -> commands.hscan(key, from, ScanArgs.Builder.limit(LISTED_AT_ONCE)))
        .thenCompose((MapScanCursor<String, String> cursor) -> {
          cursor.getMap().keySet().stream().filter(id -> found.size() < most).forEach(found::add);
          return cursor.isFinished() || found.size() >= most
              ? CompletableFuture.completedFuture(found)
              : scan(key, cursor, most, found);
        });
  }

  private CompletionStage<List<Object>> run(
      LuaScript script, String operation, List<String> arguments) {
    return Scripts.run(redis, script, RedisKeys.jobs(operation), arguments);
  }

  private static String text(long number) {
    return Long.toString(number);
  }
}
