package io.weir.state.redis.wire;

/**
 * The statuses of scripts that do not answer with {@link Codes}: an enum for each script, with the names and the order
 * that the script declares.
 */
public final class Statuses {
  private Statuses() {}

  /** The status that an answer begins with. */
  public static <S extends Enum<S>> S of(Class<S> statuses, Object number) {
    return statuses.getEnumConstants()[Math.toIntExact((Long) number)];
  }

  /** Of {@code book.lua}, for each request. */
  public enum Book {
    BOOKED,
    LATER,
    FULL,
    OPEN,
    NOT_ASKED
  }

  /** Of {@code claim.lua}. */
  public enum Claim {
    CLAIMED,
    DONE,
    BUSY,
    UNKNOWN,
    OTHER,
    FULL
  }

  /** Of {@code job_step.lua}. */
  public enum JobStep {
    MOVED,
    REFUSED,
    NO_JOB
  }

  /** Of {@code job_submit.lua}. */
  public enum JobSubmit {
    TAKEN,
    KNOWN,
    OTHER,
    FULL,
    NO_ROOM,
    PLACED,
    AWAITED
  }

  /** Of {@code keep_result.lua}. */
  public enum KeepResult {
    KEPT,
    LOST
  }

  /** Of {@code lease.lua}. */
  public enum Lease {
    GRANTED,
    STALE
  }

  /** Of {@code publish.lua}. */
  public enum Publish {
    PUBLISHED,
    OUTDATED
  }

  /** Of {@code window_claim.lua}. */
  public enum WindowClaim {
    CLAIMED,
    NOTHING
  }

  /** Of {@code window_decide.lua}. */
  public enum WindowDecide {
    DONE,
    REFUSED,
    UNKNOWN
  }

  /** Of {@code window_end.lua}. */
  public enum WindowEnd {
    DONE,
    LOST,
    UNKNOWN
  }

  /** Of {@code window_open.lua}. */
  public enum WindowOpen {
    OPENED,
    OPEN_ALREADY,
    COMMITTED_ALREADY,
    FULL,
    FAILED,
    NOT_NEXT
  }
}
