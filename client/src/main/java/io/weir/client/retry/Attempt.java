package io.weir.client.retry;

import java.util.Optional;

/** One sending of a call. */
public interface Attempt {
  /** What to show as {@code Retry-Ticket}: the appointment that is kept with it. */
  Optional<String> ticket();

  /**
   * Has to be told the head of the answer as soon as it is there, once.
   *
   * @return whether this is the answer to give; otherwise its body is of no use
   */
  boolean isAnswer(int status, Headers headers);
}
