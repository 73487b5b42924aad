package io.weir.state.wire;

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

  /** The statuses of {@code lease.lua}. */
  public enum Lease {
    GRANTED,
    STALE
  }

  /** The statuses of {@code assign.lua}. */
  public enum Assign {
    ASSIGNED,
    ABANDONED
  }

  /** The statuses of {@code publish.lua}. */
  public enum Publish {
    PUBLISHED,
    OUTDATED
  }
}
