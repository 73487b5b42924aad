package io.weir.testkit;

/** A generated history: calls that are made on two stores, whose answers must be equal. Mutable; owned by one test. */
public interface History {
  /** Makes the next call. */
  void step();

  /** The stores that are compared. */
  StorePair<?> stores();
}
