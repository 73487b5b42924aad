package io.weir.operators.warning;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/** Counts what became of warnings. Safe for use by many threads. */
public final class WarningMeters {
  private final Counter delivered;
  private final Counter failed;
  private final Counter leftOut;
  private final Counter noReceiver;

  /** Counters of a registry, all zero. */
  public WarningMeters(MeterRegistry registry) {
    this.delivered = counter(registry, "delivered");
    this.failed = counter(registry, "failed");
    this.leftOut = counter(registry, "left_out");
    this.noReceiver = counter(registry, "no_receiver");
  }

  private static Counter counter(MeterRegistry registry, String outcome) {
    return Counter.builder("throttle.warnings")
        .description("Warnings of limits that fill up, by what became of them")
        .tag("outcome", outcome)
        .register(registry);
  }

  void delivered() {
    delivered.increment();
  }

  /** The receiver has not taken it. */
  void failed() {
    failed.increment();
  }

  /** It found no place in the queue. */
  void leftOut() {
    leftOut.increment();
  }

  /** The node knows no receiver of this name. */
  void noReceiver() {
    noReceiver.increment();
  }
}
