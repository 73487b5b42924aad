package io.weir.keys.directory;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.LongSupplier;

/** The metrics of keys. Safe for use by many threads. */
public final class KeyMeters {
  private final MeterRegistry registry;
  private final Counter found;
  private final Counter missing;
  private final Counter failed;
  private final Counter refused;
  private final Counter lost;

  public KeyMeters(MeterRegistry registry) {
    this.registry = registry;
    this.found = counter("found");
    this.missing = counter("missing");
    this.failed = counter("failed");
    this.refused = counter("refused");
    this.lost = Counter.builder("throttle.keys.rewound")
        .description("how often Redis has come back with another copy of the records")
        .register(registry);
  }

  private Counter counter(String outcome) {
    return Counter.builder("throttle.keys.lookups")
        .description("look-ups of keys that the node did not know")
        .tag("outcome", outcome)
        .register(registry);
  }

  public void known(LongSupplier size) {
    Gauge.builder("throttle.keys.known", size, LongSupplier::getAsLong)
        .description("keys outside of the policy that the node knows")
        .strongReference(true)
        .register(registry);
  }

  void lookedUp(boolean isFound) {
    (isFound ? found : missing).increment();
  }

  void failed() {
    failed.increment();
  }

  void lost() {
    lost.increment();
  }

  void refused() {
    refused.increment();
  }
}
