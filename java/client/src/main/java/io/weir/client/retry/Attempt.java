package io.weir.client.retry;

import java.util.Optional;

/** One attempt of a call. */
public interface Attempt {
  /** The ticket to send as {@code Retry-Ticket}: the place that is kept for it. */
  Optional<String> ticket();

  /**
   * Reports, before the head, that this attempt got further than the previous ones: attempts are counted anew from
   * here.
   */
  void advanced();

  /** Sets the action that ends this attempt early, for a sender that blocks its thread until the answer. */
  void endsBy(Runnable how);

  /**
   * Must be called once with the head of the answer, as soon as it arrives.
   *
   * @return whether this is the answer to return; otherwise its body is not needed
   */
  boolean isAnswer(int status, Headers headers);
}
