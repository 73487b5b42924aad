package io.weir.providers.slot;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.weir.node.answer.RefusedException;
import io.weir.node.loop.LoopTime;
import io.weir.providers.queue.BookedSlot;
import io.weir.providers.queue.CurrentUpstreams;
import io.weir.providers.queue.PolicyChangedException;
import io.weir.providers.queue.ProviderMeters;
import io.weir.providers.queue.ProviderQueue;
import io.weir.providers.queue.ProviderQueue.Shared;
import io.weir.providers.queue.QueueCapacities;
import io.weir.providers.queue.SlotRequest;
import io.weir.providers.rule.Booking.Lesson;
import io.weir.providers.rule.Providers;
import io.weir.providers.store.RedisProviders;
import io.weir.state.keep.LeaseRenewal;
import io.weir.state.keep.LeaseRenewal.Renewal;
import io.weir.state.keep.LeaseTerms;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Admits requests to providers at the rate and concurrency of the whole cluster: each waits for a key slot and a
 * permit, in a bounded queue with a deadline. Mutable; owned by one event loop.
 */
public final class ProviderGate {
  private static final long TICK_MILLIS = 300;
  private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Vertx vertx;
  private final Context context;
  private final RedisProviders store;
  private final QueueCapacities places;
  private final ProviderMeters meters;
  private final Shared shared;
  /** By the identity of a policy's upstream with the keys of this node. */
  private final IdentityHashMap<Providers, ProviderQueue> queues = new IdentityHashMap<>();
  /** By upstream: the permits to renew while their requests run. */
  private final IdentityHashMap<Providers, LeaseRenewal<String>> running = new IdentityHashMap<>();

  /**
   * @param places of the whole node
   * @param current tells which upstreams are still in force
   */
  public ProviderGate(
      Vertx vertx,
      RedisProviders store,
      QueueCapacities places,
      ProviderMeters meters,
      CurrentUpstreams current) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.store = store;
    this.places = places;
    this.meters = meters;
    this.shared = new Shared(store, meters, current);
    vertx.setPeriodic(TICK_MILLIS, fired -> tick());
  }

  /**
   * Waits until the request may be sent.
   *
   * @param wish makes a wish by the policy in force; called again if the policy changes during the wait
   * @param isRenewed whether the node renews the permit until {@link #leave}
   * @return fails with {@link RefusedException}, or with the exception of {@code wish}
   */
  public Future<BookedSlot> enter(Supplier<SlotRequest> wish, boolean isRenewed) {
    long began = System.nanoTime();
    return enter(wish).onSuccess(entered -> {
      Providers upstream = entered.upstream();
      meters.entered(upstream.name(), System.nanoTime() - began);
      if (isRenewed) {
        running.computeIfAbsent(upstream, this::kept).keep(entered.member());
      }
    });
  }

  private Future<BookedSlot> enter(Supplier<SlotRequest> wishes) {
    return Future.succeededFuture()
        .compose(begun -> {
          SlotRequest wish = wishes.get();
          return queue(wish.upstream()).enter(wish);
        })
        .recover(error ->
            error instanceof PolicyChangedException ? enter(wishes) : Future.failedFuture(error));
  }

  private ProviderQueue queue(Providers upstream) {
    return queues.computeIfAbsent(
        upstream, known -> new ProviderQueue(vertx, context, shared, places.of(known), known));
  }

  /** Ends a request; completes with whether its permit was held, and fails if the shared state did not answer. */
  public Future<Boolean> leave(BookedSlot entered, Lesson lesson) {
    Providers upstream = entered.upstream();
    LeaseRenewal<String> kept = running.get(upstream);
    if (kept != null) {
      kept.drop(entered.member());
    }
    return queue(upstream)
        .end(entered.id(), entered.provider(), lesson)
        .onComplete(ended -> wake(upstream));
  }

  /** Stores a lesson of a request that has ended already. */
  void report(BookedSlot entered, Lesson lesson) {
    Future<Boolean> unused = queue(entered.upstream()).end("", entered.provider(), lesson);
  }

  // Queues of another policy or with other keys wait for the same permits.
  private void wake(Providers upstream) {
    List.copyOf(queues.values()).stream()
        .filter(queue -> queue.name().equals(upstream.name()))
        .forEach(ProviderQueue::wake);
  }

  /** Renews a permit for another lease; completes with whether it is held. */
  Future<Boolean> renew(BookedSlot entered) {
    return of(store.renew(entered.upstream(), List.of(entered.member()))).map(held -> held.get(0));
  }

  private LeaseRenewal<String> kept(Providers upstream) {
    return new LeaseRenewal<>(
        LeaseTerms.PERMIT,
        new LoopTime(vertx),
        new Renewal<>(
            member -> upstream.bounds().leaseMicros(),
            members -> store.renew(upstream, members),
            lost -> {}));
  }

  private void tick() {
    List.copyOf(queues.values()).forEach(ProviderQueue::retireIfOld);
    queues.values().removeIf(queue -> queue.isIdle(IDLE_NANOS));
    running.values().removeIf(LeaseRenewal::isEmpty);
    running.values().forEach(LeaseRenewal::renewDue);
  }

  private <T> Future<T> of(CompletionStage<T> asked) {
    return Future.fromCompletionStage(asked, context);
  }
}
