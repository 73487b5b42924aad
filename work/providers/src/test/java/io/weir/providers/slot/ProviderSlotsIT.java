package io.weir.providers.slot;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Context;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.weir.core.policy.PolicyRevision;
import io.weir.core.throttle.PolicySource;
import io.weir.node.metrics.NodeMetrics;
import io.weir.providers.queue.ProviderMeters;
import io.weir.providers.store.RedisProviders;
import io.weir.state.connection.RedisConnections;
import io.weir.testkit.RedisDatabase;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The gates of a node's event loops. */
final class ProviderSlotsIT {
  private final Vertx vertx = Vertx.vertx();
  private final RedisDatabase redis = RedisDatabase.open();
  private final RedisConnections connections =
      RedisConnections.open(redis.uri(), Duration.ofMinutes(1));
  private final ProviderSlots slots = new ProviderSlots(
      new NoPolicy(),
      new RedisProviders(connections),
      new ProviderMeters(new NodeMetrics().registry()),
      new KeyRests());

  @AfterEach
  void stop() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
    connections.close();
    redis.close();
  }

  private ProviderGate gate(Context loop) {
    Promise<ProviderGate> gate = Promise.promise();
    loop.runOnContext(now -> gate.complete(slots.gate(vertx)));
    return gate.future().toCompletionStage().toCompletableFuture().join();
  }

  @Test
  void sendersAndDoorsOfAnEventLoopHaveOneGateAndAnotherLoopHasItsOwn() {
    Context one = ((VertxInternal) vertx).createEventLoopContext();
    Context other = ((VertxInternal) vertx).createEventLoopContext();

    ProviderGate first = gate(one);

    assertThat(gate(one)).isSameAs(first);
    assertThat(gate(other)).isNotSameAs(first);
  }

  /** A gate reads the policy when a request comes. */
  private static final class NoPolicy implements PolicySource {
    @Override
    public PolicyRevision current() {
      throw new AssertionError("no policy is needed");
    }

    @Override
    public CompletionStage<PolicyRevision> reload(long seenRevision) {
      return CompletableFuture.failedFuture(new AssertionError("no policy is needed"));
    }
  }
}
