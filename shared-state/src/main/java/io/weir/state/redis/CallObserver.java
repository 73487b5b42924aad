package io.weir.state.redis;

/** Is told how each call to Redis ended. Safe for use by many threads; never blocks. */
public interface CallObserver {
  /** Nobody listens. */
  CallObserver NONE = isAnswered -> {};

  /**
   * A call has ended.
   *
   * @param isAnswered whether Redis answered in time, if only with an error
   */
  void ended(boolean isAnswered);
}
