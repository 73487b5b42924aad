package io.weir.providers.slot;

import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.weir.core.throttle.PolicySource;
import io.weir.providers.queue.ProviderMeters;
import io.weir.providers.rule.Booking.End;
import io.weir.providers.rule.Booking.Lesson;
import io.weir.providers.rule.HealthRule;
import io.weir.providers.rule.Provider;
import io.weir.providers.rule.Providers;
import io.weir.providers.rule.Upstreams;
import io.weir.providers.store.RedisProviders;
import java.net.URI;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * Checks the health of providers, those of each upstream on one node of the cluster, and opens and closes their
 * breakers for all nodes. A node that stops renewing its lease on this task loses it to another node. Mutable; owned by
 * its event loop.
 */
public final class HealthWatch extends VerticleBase {
  private static final long TICK_MILLIS = 100;
  private static final int MAX_CONNECTIONS = 2;
  private static final int MAX_WAITING = 5000;

  private final PolicySource policies;
  private final RedisProviders store;
  private final ProviderMeters meters;
  private final String node = UUID.randomUUID().toString();
  /** The time of the next check, by upstream. */
  private final Map<String, Long> dueNanos = new HashMap<>();

  private final Map<Watched, Streak> streaks = new HashMap<>();
  private final Set<Watched> asked = new HashSet<>();
  /** The providers whose breaker the checks of this node have opened. */
  private final Set<Watched> opened = new HashSet<>();

  private HttpClient client;

  private record Watched(String upstream, String provider) {}

  @SuppressWarnings("NullAway.Init") // Vert.x makes the client when it starts the verticle
  public HealthWatch(PolicySource policies, RedisProviders store, ProviderMeters meters) {
    this.policies = policies;
    this.store = store;
    this.meters = meters;
  }

  @Override
  public Future<?> start() {
    client = vertx.createHttpClient(
        new HttpClientOptions(),
        new PoolOptions().setHttp1MaxSize(MAX_CONNECTIONS).setMaxWaitQueueSize(MAX_WAITING));
    vertx.setPeriodic(TICK_MILLIS, due -> look(System.nanoTime()));
    return Future.succeededFuture();
  }

  private void look(long now) {
    Map<String, Providers> upstreams = Upstreams.of(policies.current().policy());
    dueNanos.keySet().removeIf(name -> rule(upstreams, name).isEmpty());
    streaks.keySet().removeIf(one -> !isWatched(upstreams, one));
    opened.retainAll(streaks.keySet());
    for (Providers upstream : upstreams.values()) {
      upstream.resilience().health().ifPresent(rule -> {
        if (now - dueNanos.getOrDefault(upstream.name(), now) >= 0) {
          dueNanos.put(upstream.name(), now + TimeUnit.MILLISECONDS.toNanos(rule.intervalMillis()));
          look(upstream, rule);
        }
      });
    }
  }

  private static boolean isWatched(Map<String, Providers> all, Watched one) {
    Providers upstream = all.get(one.upstream());
    return upstream != null
        && upstream.resilience().health().isPresent()
        && upstream.named(one.provider()).isPresent();
  }

  private static Optional<HealthRule> rule(Map<String, Providers> all, String name) {
    return Optional.ofNullable(all.get(name)).flatMap(it -> it.resilience().health());
  }

  private void look(Providers upstream, HealthRule rule) {
    Future<Boolean> unused = of(store.watch(upstream.name(), node, rule.leaseMillis()))
        .onSuccess(isOurs -> {
          if (isOurs) {
            upstream.all().forEach(provider -> ask(upstream, rule, provider));
          } else {
            streaks.keySet().removeIf(one -> one.upstream().equals(upstream.name()));
          }
        });
  }

  // At most one check of a provider at a time.
  private void ask(Providers upstream, HealthRule rule, Provider provider) {
    Watched watched = new Watched(upstream.name(), provider.name());
    if (!asked.add(watched)) {
      return;
    }
    Future<Boolean> unused = check(provider.uri(), rule)
        .otherwise(false)
        .onSuccess(isWell -> learn(upstream, rule, watched, isWell))
        .onComplete(done -> asked.remove(watched));
  }

  private Future<Boolean> check(URI uri, HealthRule rule) {
    return client
        .request(options(uri, rule))
        .compose(request -> request
            .send()
            .map(answer -> {
              answer.exceptionHandler(
                  reset -> {}); // without one, Vert.x logs the reset as an error
              return rule.isWell(answer.statusCode());
            })
            .timeout(rule.timeoutMillis(), TimeUnit.MILLISECONDS)
            // The rest of the answer is not read.
            .onComplete(done -> request.reset()));
  }

  private static RequestOptions options(URI uri, HealthRule rule) {
    boolean isTls = "https".equals(uri.getScheme());
    return new RequestOptions()
        .setMethod(HttpMethod.GET)
        .setURI(rule.path())
        .setHost(uri.getHost())
        .setPort(uri.getPort() >= 0 ? uri.getPort() : isTls ? 443 : 80)
        .setSsl(isTls)
        .setConnectTimeout(rule.timeoutMillis())
        .putHeader("User-Agent", "weir");
  }

  private void learn(Providers upstream, HealthRule rule, Watched watched, boolean isWell) {
    meters.health(watched.upstream(), watched.provider(), isWell);
    Streak streak = streaks.merge(watched, Streak.of(isWell), (before, one) -> before.and(isWell));
    if (isWell && streak.length() >= rule.healthy()) {
      if (opened.remove(watched)) {
        meters.breaker(watched.upstream(), watched.provider(), "closed");
      }
      report(upstream, watched, Lesson.of("", 0, 0, "well"));
    } else if (!isWell && streak.length() >= rule.unhealthy()) {
      if (opened.add(watched)) {
        meters.breaker(watched.upstream(), watched.provider(), "open");
      }
      long millis = Math.max(upstream.resilience().breaker().openMillis(), rule.leaseMillis());
      report(upstream, watched, Lesson.of("", 0, 1000 * millis, ""));
    }
  }

  private void report(Providers upstream, Watched watched, Lesson lesson) {
    End end = new End("", watched.provider(), lesson);
    Future<?> unused = of(store.book(
            RedisProviders.prepare(upstream), node, List.of(end), List.of()))
        .onSuccess(booked -> meters.stands(upstream, booked));
  }

  private <T> Future<T> of(CompletionStage<T> stage) {
    return Future.fromCompletionStage(stage, context);
  }

  /** Consecutive checks with the same result. */
  private record Streak(boolean isWell, int length) {
    private static final int LONGEST = 1000;

    static Streak of(boolean isWell) {
      return new Streak(isWell, 1);
    }

    Streak and(boolean next) {
      return next == isWell ? new Streak(isWell, Math.min(LONGEST, length + 1)) : of(next);
    }
  }
}
