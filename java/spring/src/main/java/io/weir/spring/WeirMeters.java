package io.weir.spring;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.weir.core.decision.Decision;
import io.weir.library.AcquireRequest;
import io.weir.library.Weir;
import io.weir.library.WeirListener;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/** The meters of an application. No subject is in a tag. */
final class WeirMeters implements WeirListener, MeterBinder {
  private final LongAdder allowed = new LongAdder();
  private final LongAdder denied = new LongAdder();
  private final LongAdder never = new LongAdder();
  private final LongAdder undecided = new LongAdder();
  private final Supplier<Weir> weir;

  /** @param weir is asked when a registry is bound */
  WeirMeters(Supplier<Weir> weir) {
    this.weir = weir;
  }

  @Override
  public void decided(AcquireRequest ask, Decision decision) {
    decision.fold(yes -> allowed, no -> denied, refused -> never).increment();
  }

  @Override
  public void undecided(AcquireRequest ask, Throwable error) {
    undecided.increment();
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    count(registry, "allowed", allowed);
    count(registry, "denied", denied);
    count(registry, "never_allowed", never);
    count(registry, "undecided", undecided);
    Weir bound = weir.get();
    Gauge.builder("weir.away", bound, Weir::shareAway)
        .description("The fraction of the shared state that is away")
        .register(registry);
    Gauge.builder("weir.leased", bound, Weir::leased)
        .description("Operations of leased buckets that this application holds")
        .register(registry);
    Gauge.builder("weir.waiting", bound, Weir::waiting)
        .description("Callers that wait for their slots")
        .register(registry);
    Gauge.builder("weir.open", bound, Weir::open)
        .description("Permits and reservations under way")
        .register(registry);
  }

  private static void count(MeterRegistry registry, String outcome, LongAdder of) {
    FunctionCounter.builder("weir.decisions", of, LongAdder::doubleValue)
        .description("Decisions, by outcome")
        .tag("outcome", outcome)
        .register(registry);
  }
}
