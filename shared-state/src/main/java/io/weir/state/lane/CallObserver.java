package io.weir.state.lane;

/** Observes the ends of calls to Redis. Safe for use by many threads; never blocks. */
public interface CallObserver {
  /** Observes nothing. */
  CallObserver NONE = isAnswered -> {};

  /**
   * A call has ended.
   *
   * @param isAnswered whether Redis answered in time, if only with an error
   */
  void ended(boolean isAnswered);
}
