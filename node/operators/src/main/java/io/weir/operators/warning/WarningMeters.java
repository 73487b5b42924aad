package io.weir.operators.warning;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;

/** Counts what became of warnings. Safe for use by many threads. */
public final class WarningMeters {
  private final Counter delivered;
  private final Counter failed;
  private final Counter leftOut;
  private final Counter noReceiver;

  /** Counters of a registry, all zero. */
  public WarningMeters(MeterRegistry registry) {
    MeterProvider<Counter> warnings = Counter.builder("throttle.warnings")
        .description("Warnings of limits that fill up, by what became of them")
        .withRegistry(registry);
    this.delivered = warnings.withTag("outcome", "delivered");
    this.failed = warnings.withTag("outcome", "failed");
    this.leftOut = warnings.withTag("outcome", "left_out");
    this.noReceiver = warnings.withTag("outcome", "no_receiver");
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
