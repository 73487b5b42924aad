package io.weir.providers.queue;

import static java.util.Objects.requireNonNull;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.weir.node.upstream.NotRetried;
import io.weir.providers.rule.Booking.BookingAnswer;
import io.weir.providers.rule.Provider;
import io.weir.providers.rule.Providers;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of the providers of upstreams; only metrics with few values have the key slot as a tag. Safe for use by
 * many threads.
 */
public final class ProviderMeters {
  private static final Duration[] BACKOFFS = LongStream.of(
          10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 15_000, 30_000, 60_000)
      .mapToObj(Duration::ofMillis)
      .toArray(Duration[]::new);

  private final MeterRegistry registry;
  private final Map<String, LongAdder> waiting = new ConcurrentHashMap<>();
  private final Map<String, Timer> waits = new ConcurrentHashMap<>();
  private final Map<Attempts, Counter> attempts = new ConcurrentHashMap<>();
  private final Map<ProviderId, Timer> latencies = new ConcurrentHashMap<>();
  private final Map<ProviderId, Counter> rested = new ConcurrentHashMap<>();
  private final Map<ProviderId, LastSeen> standings = new ConcurrentHashMap<>();
  private final Map<ProviderId, LastSeen> breakers = new ConcurrentHashMap<>();

  public ProviderMeters(MeterRegistry registry) {
    this.registry = registry;
  }

  /**
   * Removes the series of upstreams, providers and keys that are in no policy any more; counted anew if they come back.
   */
  public void keep(Map<String, Providers> upstreams) {
    waiting
        .entrySet()
        .removeIf(one -> !upstreams.containsKey(one.getKey()) && one.getValue().sum() == 0);
    waits.keySet().removeIf(name -> !upstreams.containsKey(name));
    attempts.keySet().removeIf(of -> !has(upstreams, of.upstream(), of.provider(), of.key()));
    List.of(latencies, rested, breakers)
        .forEach(ofPlaces ->
            ofPlaces.keySet().removeIf(of -> !has(upstreams, of.upstream(), of.provider(), null)));
    standings.keySet().removeIf(of -> !upstreams.containsKey(of.upstream()));
    registry.getMeters().stream()
        .map(Meter::getId)
        .filter(id -> id.getName().startsWith("throttle.upstream."))
        .filter(
            id -> !has(upstreams, id.getTag("upstream"), id.getTag("provider"), id.getTag("key")))
        .filter(id -> !waiting.containsKey(String.valueOf(id.getTag("upstream"))))
        .forEach(registry::remove);
  }

  private static boolean has(
      Map<String, Providers> upstreams,
      @Nullable String upstream,
      @Nullable String provider,
      @Nullable String key) {
    Providers known = upstreams.get(String.valueOf(upstream));
    return known != null
        && (provider == null
            || known
                .named(provider)
                .filter(one -> key == null || one.slots().contains(key))
                .isPresent());
  }

  /** Adds to the requests that wait for an upstream. */
  public void waiting(String upstream, int more) {
    waiting
        .computeIfAbsent(upstream, name -> {
          LongAdder count = new LongAdder();
          Gauge.builder("throttle.upstream.queue", count, LongAdder::doubleValue)
              .description("Requests of this node that wait for the providers of an upstream")
              .tag("upstream", name)
              .register(registry);
          return count;
        })
        .add(more);
  }

  /** A request got its turn after this wait. */
  public void entered(String upstream, long nanos) {
    waits
        .computeIfAbsent(
            upstream,
            name -> Timer.builder("throttle.upstream.wait")
                .description("How long requests waited for a key slot and a permit")
                .tag("upstream", name)
                .register(registry))
        .record(nanos, TimeUnit.NANOSECONDS);
  }

  private record Attempts(String upstream, String provider, String key, String outcome) {}

  private record ProviderId(String upstream, String provider) {}

  /** An attempt with a key slot has ended. */
  public void attempt(String upstream, String provider, String key, String outcome) {
    attempts
        .computeIfAbsent(
            new Attempts(upstream, provider, key, outcome),
            of -> registry.counter(
                "throttle.upstream.attempts",
                Tags.of(
                    "upstream", upstream, "provider", provider, "key", key, "outcome", outcome)))
        .increment();
  }

  /** A provider answered after this time. */
  public void took(String upstream, String provider, long nanos) {
    latencies
        .computeIfAbsent(
            new ProviderId(upstream, provider),
            of -> Timer.builder("throttle.upstream.latency")
                .description("How long attempts took, by provider")
                .publishPercentileHistogram()
                .tags(Tags.of("upstream", upstream, "provider", provider))
                .register(registry))
        .record(nanos, TimeUnit.NANOSECONDS);
  }

  /** The end of a request, whatever its number of attempts. */
  public enum RequestEnd {
    /** The caller got an answer that another attempt would not improve. */
    ANSWERED,
    /** The last attempt failed, and no other was allowed. */
    FAILED,
    /** It was sent to no provider. */
    REFUSED,
    /** Its caller hung up, or did not send it. */
    CANCELLED
  }

  /** Counts the end of a request. */
  public void request(String upstream, RequestEnd end) {
    registry
        .counter("throttle.upstream.requests", "upstream", upstream, "outcome", word(end))
        .increment();
  }

  /**
   * A request is sent again after a wait.
   *
   * @param operation of the policy
   */
  public void again(String upstream, String operation, String failed, long millis) {
    registry
        .counter(
            "throttle.upstream.retries",
            Tags.of("upstream", upstream, "operation", operation, "provider", failed))
        .increment();
    Timer.builder("throttle.upstream.backoff")
        .description("The waits before another attempt")
        .serviceLevelObjectives(BACKOFFS)
        .tags(Tags.of("upstream", upstream, "operation", operation))
        .register(registry)
        .record(Duration.ofMillis(millis));
  }

  /** A request has failed without another attempt. */
  public void notRetried(String upstream, String failed, NotRetried why) {
    registry
        .counter(
            "throttle.upstream.not.retried",
            Tags.of("upstream", upstream, "provider", failed, "reason", word(why)))
        .increment();
  }

  /**
   * A request has failed although it was sent again.
   *
   * @param operation of the policy
   */
  public void exhausted(String upstream, String operation, String failed) {
    registry
        .counter(
            "throttle.upstream.exhausted",
            Tags.of("upstream", upstream, "operation", operation, "provider", failed))
        .increment();
  }

  private static String word(Enum<?> of) {
    return of.name().toLowerCase(Locale.ROOT);
  }

  /** A request was refused before it was sent to any provider. */
  public void refused(String upstream, String code) {
    registry
        .counter("throttle.upstream.refused", "upstream", upstream, "code", code)
        .increment();
  }

  /** A provider has named a wait: it, or one of its keys, is not used until then. */
  public void cooldown(String upstream, String provider) {
    registry
        .counter("throttle.upstream.cooldowns", "upstream", upstream, "provider", provider)
        .increment();
  }

  /**
   * A provider refuses a key, which is not used for a while.
   *
   * @param isRefused 1 until the key works again, then 0
   */
  public void rested(String upstream, String provider, String key, Supplier<Number> isRefused) {
    rested(new ProviderId(upstream, provider)).increment();
    Gauge.builder("throttle.upstream.key.refused", isRefused)
        .description("Whether this node was refused a key of a provider that has not worked since")
        .tags("upstream", upstream, "provider", provider, "key", key)
        .register(registry);
  }

  private Counter rested(ProviderId place) {
    return rested.computeIfAbsent(
        place,
        of -> registry.counter(
            "throttle.upstream.keys.rested",
            Tags.of("upstream", of.upstream(), "provider", of.provider())));
  }

  /** This node has changed the state of a breaker: open, half_open or closed. */
  public void breaker(String upstream, String provider, String to) {
    registry
        .counter(
            "throttle.upstream.breaker.transitions",
            Tags.of("upstream", upstream, "provider", provider, "to", to))
        .increment();
  }

  /** This node has checked the health of a provider. */
  public void health(String upstream, String provider, boolean isWell) {
    registry
        .counter(
            "throttle.upstream.health.checks",
            Tags.of("upstream", upstream, "provider", provider, "outcome", isWell ? "good" : "bad"))
        .increment();
  }

  /** Sets the state of an upstream, the same for all nodes. */
  public void stands(Providers upstream, BookingAnswer booked) {
    standing(upstream.name(), "throttle.upstream.inflight").set(booked.inflight());
    standing(upstream.name(), "throttle.upstream.limit").set(booked.limit());
    for (Provider provider : upstream.all()) {
      rested(new ProviderId(
          upstream.name(), provider.name())); // from 0 on, so that alerts see the first
      Boolean isTried = booked.open().get(provider.name());
      breakers
          .computeIfAbsent(
              new ProviderId(upstream.name(), provider.name()),
              of -> gauge(
                  "throttle.upstream.breaker",
                  Tags.of("upstream", of.upstream(), "provider", of.provider())))
          .set(isTried == null ? 0 : isTried ? 1 : 2);
    }
  }

  private LastSeen standing(String upstream, String name) {
    return standings.computeIfAbsent(
        new ProviderId(upstream, name), of -> gauge(name, Tags.of("upstream", of.upstream())));
  }

  private LastSeen gauge(String name, Tags tags) {
    return requireNonNull(registry.gauge(name, tags, new LastSeen(), LastSeen::value));
  }
}
