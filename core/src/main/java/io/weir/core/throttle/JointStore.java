package io.weir.core.throttle;

import java.util.List;
import java.util.concurrent.CompletionStage;

/** Decides several charges as one. Safe for use by many threads. */
public interface JointStore {

  /**
   * Takes the cost of all charges, or of none. If one is denied, so is the whole, whatever the answers to the others are;
   * what these show as taken was not. The denial with the longest wait may make a place, and has the ticket; the others
   * are estimates.
   *
   * @return completes with an answer for each charge, in order, or exceptionally with a {@link
   *     StoreUnavailableException}
   */
  CompletionStage<List<StoreAnswer>> tryAll(JointCharge joint);
}
