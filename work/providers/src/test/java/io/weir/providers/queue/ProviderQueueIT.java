package io.weir.providers.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.weir.core.policy.RepeatRule;
import io.weir.core.policy.RetryRule;
import io.weir.node.metrics.NodeMetrics;
import io.weir.node.upstream.OutgoingRequest.Caller;
import io.weir.providers.rule.Booking.Asking;
import io.weir.providers.rule.Booking.End;
import io.weir.providers.rule.Booking.Lesson;
import io.weir.providers.rule.Bounds;
import io.weir.providers.rule.BreakerRule;
import io.weir.providers.rule.JsonRpcRule;
import io.weir.providers.rule.Provider;
import io.weir.providers.rule.Providers;
import io.weir.providers.rule.Sending;
import io.weir.providers.store.RedisProviders;
import io.weir.providers.store.UpstreamKeys;
import io.weir.state.connection.RedisConnections;
import io.weir.testkit.RealTime;
import io.weir.testkit.RedisDatabase;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The queue of one event loop, beside another queue that has the only place. */
final class ProviderQueueIT {
  private static final Providers UPSTREAM = new Providers(
      "up",
      List.of(new Provider(
          "a",
          URI.create("http://127.0.0.1:1"),
          new Provider.Rank(0, 1),
          new Provider.Load(0, 0),
          Set.of(),
          List.of())),
      true,
      new Bounds(1, Optional.empty(), 10, 60_000, 60_000_000),
      new Sending(1000, 1000, 1000, false, JsonRpcRule.NONE, RepeatRule.NONE),
      new Providers.Resilience(RetryRule.DEFAULT, BreakerRule.DEFAULT, Optional.empty()));
  private static final Map<String, Providers> IN_FORCE = Map.of("up", UPSTREAM);
  private static final String KEY = UpstreamKeys.of("up").get(0);
  private static final int ROUNDS = 26;

  private final Vertx vertx = Vertx.vertx();
  private final Context context = vertx.getOrCreateContext();
  private RedisDatabase redis;
  private RedisConnections connections;
  private RedisProviders store;
  private ProviderQueue queue;

  @BeforeEach
  void start() {
    redis = RedisDatabase.open();
    connections = RedisConnections.open(redis.uri(), Duration.ofMinutes(1));
    store = new RedisProviders(connections);
    queue = new ProviderQueue(
        vertx,
        context,
        new ProviderQueue.Shared(
            store,
            new ProviderMeters(new NodeMetrics().registry()),
            new CurrentUpstreams(() -> IN_FORCE, new KeysHere(name -> null))),
        new QueueCapacities().of(UPSTREAM),
        UPSTREAM);
  }

  @AfterEach
  void stop() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
    connections.close();
    redis.close();
  }

  private void other(List<End> ends, List<Asking> asking) {
    store
        .book(RedisProviders.prepare(UPSTREAM), "other", ends, asking)
        .toCompletableFuture()
        .join();
  }

  private CompletableFuture<BookedSlot> enter(AtomicBoolean isGone) {
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    SlotRequest wish = new SlotRequest(
        UPSTREAM,
        new Caller("k1", "acme"),
        "default",
        List.of(),
        true,
        new SlotRequest.Patience(deadline, isGone::get));
    CompletableFuture<BookedSlot> entered = new CompletableFuture<>();
    context.runOnContext(now -> queue.enter(wish).onComplete(done -> {
      if (done.succeeded()) {
        entered.complete(done.result());
      } else {
        entered.completeExceptionally(done.cause());
      }
    }));
    return entered;
  }

  private void pause(long millis) {
    RealTime.pass(Duration.ofMillis(millis));
  }

  private static boolean isMark(String field) {
    return field.startsWith("full:");
  }

  // Tries all times between two calls, and until the requests that hung up are swept away.
  @Test
  void aCallerIsServedWhenTheOnlyOneAheadHangsUp() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      other(List.of(), List.of(new Asking("o" + round, "default", 0, List.of(), true)));
      AtomicBoolean isGone = new AtomicBoolean();
      CompletableFuture<BookedSlot> leaves = enter(isGone);
      pause(15);
      isGone.set(true);
      pause(round);
      CompletableFuture<BookedSlot> stays = enter(new AtomicBoolean());
      pause(30);
      other(List.of(new End("o" + round, "a", Lesson.NONE)), List.of());
      BookedSlot entered = stays.get(20, TimeUnit.SECONDS);
      assertThat(leaves).isCompletedExceptionally();
      CompletableFuture<Boolean> ended = new CompletableFuture<>();
      context.runOnContext(now -> {
        Future<Boolean> unused =
            queue.end(entered.id(), "a", Lesson.NONE).onSuccess(ended::complete);
      });
      assertThat(ended.get(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void noTurnIsKeptForAGroupWithoutWaiters() throws Exception {
    other(List.of(), List.of(new Asking("o", "default", 0, List.of(), true)));
    AtomicBoolean isGone = new AtomicBoolean();
    CompletableFuture<BookedSlot> leaves = enter(isGone);
    await()
        .untilAsserted(
            () -> assertThat(connections.sync().hkeys(KEY)).anyMatch(ProviderQueueIT::isMark));
    isGone.set(true);
    assertThat(leaves).failsWithin(Duration.ofSeconds(20));
    await()
        .untilAsserted(
            () -> assertThat(connections.sync().hkeys(KEY)).noneMatch(ProviderQueueIT::isMark));
  }
}
