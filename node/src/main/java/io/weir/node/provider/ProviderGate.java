package io.weir.node.provider;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.weir.node.answer.RefusedException;
import io.weir.node.metrics.ProviderMeters;
import io.weir.state.redis.RedisProviders;
import io.weir.upstream.Booking.Lesson;
import io.weir.upstream.Providers;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Lets requests to providers, one after another, as the whole cluster may send them: each waits for a key slot and a
 * permit, in a line with an end and a deadline. Mutable; owned by one event loop.
 */
public final class ProviderGate {
  private static final int RENEWALS_PER_LEASE = 3;
  private static final int RENEWED_AT_ONCE = 500;
  private static final long TICK_MILLIS = 300;
  private static final long NANOS_PER_MICRO = 1000;
  private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Vertx vertx;
  private final Context context;
  private final RedisProviders store;
  private final ProviderPlaces places;
  private final ProviderMeters meters;
  private final CurrentUpstreams current;
  /** By what a policy says of an upstream, and the keys that are here: the very object. */
  private final IdentityHashMap<Providers, ProviderQueue> queues = new IdentityHashMap<>();
  /** By upstream: what is renewed while it runs. */
  private final IdentityHashMap<Providers, Set<String>> running = new IdentityHashMap<>();

  private long renewedNanos = System.nanoTime();

  /**
   * @param places of the whole node
   * @param current which upstreams are still so
   */
  public ProviderGate(
      Vertx vertx,
      RedisProviders store,
      ProviderPlaces places,
      ProviderMeters meters,
      CurrentUpstreams current) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.store = store;
    this.places = places;
    this.meters = meters;
    this.current = current;
    vertx.setPeriodic(TICK_MILLIS, fired -> renew());
  }

  /**
   * A request that may be sent.
   *
   * @param id in the shared state
   */
  public record Entered(
      Providers upstream, String id, String provider, String key, boolean isProbe) {
    String member() {
      return RedisProviders.member(id, provider);
    }

    /** The same, as its provider was found to be well. */
    public Entered afterProbe() {
      return new Entered(upstream, id, provider, key, false);
    }

    /** Where it is sent, for {@code before}. */
    public String place() {
      return provider + "/" + key;
    }
  }

  /**
   * Waits until the request may be sent.
   *
   * @param wish by the policy that is in force then; it is asked again where another one comes meanwhile
   * @param isRenewed whether the node holds on to the permit until {@link #leave}
   * @return fails with {@link RefusedException}, or what {@code wish} throws
   */
  public Future<Entered> enter(Supplier<Wish> wish, boolean isRenewed) {
    long began = System.nanoTime();
    return enter(wish).onSuccess(entered -> {
      Providers upstream = entered.upstream();
      meters.entered(upstream.name(), System.nanoTime() - began);
      if (isRenewed) {
        running.computeIfAbsent(upstream, known -> new HashSet<>()).add(entered.member());
      }
    });
  }

  private Future<Entered> enter(Supplier<Wish> wishes) {
    return Future.succeededFuture()
        .compose(begun -> {
          Wish wish = wishes.get();
          return queue(wish.upstream()).enter(wish);
        })
        .recover(error ->
            error instanceof PolicyChangedException ? enter(wishes) : Future.failedFuture(error));
  }

  private ProviderQueue queue(Providers upstream) {
    return queues.computeIfAbsent(
        upstream,
        known ->
            new ProviderQueue(vertx, context, store, meters, places.of(known), current, known));
  }

  /** The request is over; completes with whether its permit was held, as far as anybody knows. */
  public Future<Boolean> leave(Entered entered, Lesson lesson) {
    Providers upstream = entered.upstream();
    Set<String> ids = running.get(upstream);
    if (ids != null) {
      ids.remove(entered.member());
    }
    return queue(upstream)
        .end(entered.id(), entered.provider(), lesson)
        .onComplete(ended -> wake(upstream));
  }

  /** What was learned by one that is over already. */
  void tell(Entered entered, Lesson lesson) {
    Future<Boolean> unused = queue(entered.upstream()).end("", entered.provider(), lesson);
  }

  // Who waits by another policy, or for other keys, waits for the same permits.
  private void wake(Providers upstream) {
    List.copyOf(queues.values()).stream()
        .filter(queue -> queue.name().equals(upstream.name()))
        .forEach(ProviderQueue::wake);
  }

  /** Holds on to a permit for another lease; gives whether it is held. */
  Future<Boolean> renew(Entered entered) {
    return of(store.renew(entered.upstream(), List.of(entered.member())))
        .map(held -> held.get(0))
        .recover(error -> Future.failedFuture(RefusedException.of(error)));
  }

  private void renew() {
    long now = System.nanoTime();
    List.copyOf(queues.values()).forEach(ProviderQueue::retireIfOld);
    running.values().removeIf(Set::isEmpty);
    queues.values().removeIf(queue -> queue.isIdle(IDLE_NANOS));
    long shortest = running.keySet().stream()
        .mapToLong(upstream -> upstream.bounds().leaseMicros())
        .min()
        .orElse(0);
    if (shortest == 0 || now - renewedNanos < shortest * NANOS_PER_MICRO / RENEWALS_PER_LEASE) {
      return;
    }
    renewedNanos = now;
    running.forEach((upstream, ids) -> {
      List<String> all = new ArrayList<>(ids);
      for (int from = 0; from < all.size(); from += RENEWED_AT_ONCE) {
        int to = Math.min(all.size(), from + RENEWED_AT_ONCE);
        Future<List<Boolean>> unused = of(store.renew(upstream, all.subList(from, to)));
      }
    });
  }

  private <T> Future<T> of(CompletionStage<T> asked) {
    return Future.fromCompletionStage(asked, context);
  }
}
