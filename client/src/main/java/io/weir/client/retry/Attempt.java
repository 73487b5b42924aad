package io.weir.client.retry;

import java.util.Optional;

/** One sending of a call. */
public interface Attempt {
  /** What to show as {@code Retry-Ticket}: the place that is kept with it. */
  Optional<String> ticket();

  /**
   * Tells, before the head, that what was sent got further than before: attempts are counted from here on.
   */
  void advanced();

  /** Takes what ends this sending early: for one who blocks his thread until it is answered. */
  void endsBy(Runnable how);

  /**
   * Has to be told the head of the answer as soon as it is there, once.
   *
   * @return whether this is the answer to give; otherwise its body is of no use
   */
  boolean isAnswer(int status, Headers headers);
}
