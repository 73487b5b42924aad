package io.weir.keys.directory;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter.MeterProvider;
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
    MeterProvider<Counter> lookups = Counter.builder("throttle.keys.lookups")
        .description("look-ups of keys that the node did not know")
        .withRegistry(registry);
    this.found = lookups.withTag("outcome", "found");
    this.missing = lookups.withTag("outcome", "missing");
    this.failed = lookups.withTag("outcome", "failed");
    this.refused = lookups.withTag("outcome", "refused");
    this.lost = Counter.builder("throttle.keys.rewound")
        .description("how often Redis has come back with another copy of the records")
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
