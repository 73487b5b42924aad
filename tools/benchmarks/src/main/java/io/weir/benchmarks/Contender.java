package io.weir.benchmarks;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A system that decides on requests, or a floor for the cost of a decision. */
interface Contender extends AutoCloseable {

  /** Its name in the results. */
  String name();

  /** Whether it is set up to admit everything; otherwise it denies everything. */
  default boolean admits() {
    return true;
  }

  /** Brings a subject into the measured state; called once, before all questions. */
  default CompletionStage<Boolean> prepare(int subject) {
    return CompletableFuture.completedFuture(true);
  }

  /**
   * Asks for one operation of one of the subjects.
   *
   * @return completes with whether it was admitted; exceptionally if there was no answer
   */
  CompletionStage<Boolean> ask(int subject);

  @Override
  void close();
}
