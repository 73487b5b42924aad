package io.weir.node.provider;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.weir.core.upstream.Booking.Lesson;
import io.weir.core.upstream.Providers;
import io.weir.node.answer.RefusedException;
import io.weir.node.metrics.ProviderMeters;
import io.weir.state.redis.RedisProviders;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Admits requests to providers at the rate and concurrency of the whole cluster: each waits for a key slot and a
 * permit, in a bounded queue with a deadline. Mutable; owned by one event loop.
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
  /** By the identity of a policy's upstream with the keys of this node. */
  private final IdentityHashMap<Providers, ProviderQueue> queues = new IdentityHashMap<>();
  /** By upstream: the permits to renew while their requests run. */
  private final IdentityHashMap<Providers, Set<String>> running = new IdentityHashMap<>();

  private long renewedNanos = System.nanoTime();

  /**
   * @param places of the whole node
   * @param current tells which upstreams are still in force
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

    /** A copy that is no longer a probe. */
    public Entered afterProbe() {
      return new Entered(upstream, id, provider, key, false);
    }

    /** The key slot, for {@link Wish#before}. */
    public String place() {
      return provider + "/" + key;
    }
  }

  /**
   * Waits until the request may be sent.
   *
   * @param wish makes a wish by the policy in force; called again if the policy changes during the wait
   * @param isRenewed whether the node renews the permit until {@link #leave}
   * @return fails with {@link RefusedException}, or with the exception of {@code wish}
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

  /** Ends a request; completes with whether its permit was held, and fails if the shared state did not answer. */
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

  /** Stores a lesson of a request that has ended already. */
  void tell(Entered entered, Lesson lesson) {
    Future<Boolean> unused = queue(entered.upstream()).end("", entered.provider(), lesson);
  }

  // Queues of another policy or with other keys wait for the same permits.
  private void wake(Providers upstream) {
    List.copyOf(queues.values()).stream()
        .filter(queue -> queue.name().equals(upstream.name()))
        .forEach(ProviderQueue::wake);
  }

  /** Renews a permit for another lease; completes with whether it is held. */
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
