package io.weir.benchmarks;

import java.util.concurrent.CompletionStage;

/** Something that decides on a request, or a floor below which no decision goes. */
interface Contender extends AutoCloseable {

  /** As the results call it. */
  String name();

  /**
   * Asks for one operation of one of many subjects.
   *
   * @return completes with whether it was admitted; exceptionally where there was no answer
   */
  CompletionStage<Boolean> ask(int subject);

  @Override
  void close();
}
