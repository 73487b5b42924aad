package io.weir.benchmarks;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Something that decides on a request, or a floor below which no decision goes. */
interface Contender extends AutoCloseable {

  /** As the results call it. */
  String name();

  /** Whether it is set up to admit everything; otherwise it denies everything. */
  default boolean admits() {
    return true;
  }

  /** Brings a subject into the state in which it is measured; asked once, before anything else. */
  default CompletionStage<Boolean> prepare(int subject) {
    return CompletableFuture.completedFuture(true);
  }

  /**
   * Asks for one operation of one of many subjects.
   *
   * @return completes with whether it was admitted; exceptionally where there was no answer
   */
  CompletionStage<Boolean> ask(int subject);

  @Override
  void close();
}
