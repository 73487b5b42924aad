package io.weir.library;

import io.weir.core.policy.PolicyRevision;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.HoldStore;
import io.weir.core.throttle.PolicySource;
import io.weir.inmemory.InMemoryBucketStore;
import io.weir.state.chain.StoreChain;
import io.weir.state.connection.RedisConnections;
import io.weir.state.connection.RedisStart;
import io.weir.state.connection.RedisWait;
import io.weir.state.document.PolicyDocuments;
import io.weir.state.hold.RedisHolds;
import io.weir.state.policy.FollowedPolicy;
import io.weir.state.policy.FollowedPolicy.Following;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.IntSupplier;
import java.util.function.UnaryOperator;

/**
 * The stores and the policy of a program, on a Redis or in its memory.
 *
 * @param toClose in this order
 */
record Parts(
    BucketStore store,
    HoldStore holds,
    PolicySource policies,
    Figures figures,
    List<AutoCloseable> toClose) {

  /**
   * Numbers that a program shows of itself at any moment.
   *
   * @param shareAway the share of the shared state that is away, 0 to 1
   * @param leased the operations that this program holds in leases
   */
  record Figures(IntSupplier liveNodes, DoubleSupplier shareAway, DoubleSupplier leased) {}

  static Parts connected(WeirBuilder how) {
    return RedisWait.of(how.redisWait(), "redisWait").until(() -> tried(how));
  }

  private static Parts tried(WeirBuilder how) {
    RedisConnections redis =
        new RedisStart(how.redisUri(), how.policyCopyFile()).open(how.redisTimeout());
    try {
      FollowedPolicy policies = FollowedPolicy.open(
          redis,
          new Following(
              how.policyName(),
              how.policyText(),
              how.policyCopyFile(),
              how.isNode(),
              how.listener()::policyInForce));
      StoreChain chain;
      try {
        chain = StoreChain.of(
            redis, () -> false, policies::liveNodes, how.isNode(), UnaryOperator.identity());
      } catch (RuntimeException e) {
        policies.close();
        throw e;
      }
      return new Parts(
          chain.store(),
          new RedisHolds(redis),
          policies,
          new Figures(
              policies::liveNodes, chain.outages()::shareAway, chain.leases()::operationsHeld),
          List.of(chain, policies, redis));
    } catch (RuntimeException e) {
      redis.close();
      throw e;
    }
  }

  static Parts inMemory(String policy) {
    PolicyRevision only =
        new PolicyRevision(1, PolicyDocuments.parse("policy", policy).policy());
    PolicySource policies = new PolicySource() {
      @Override
      public PolicyRevision current() {
        return only;
      }

      @Override
      public CompletionStage<PolicyRevision> reload(long seenRevision) {
        return CompletableFuture.completedFuture(only);
      }
    };
    long begunNanos = System.nanoTime();
    long begunMicros = TimeUnit.MILLISECONDS.toMicros(Clock.systemUTC().millis());
    InMemoryBucketStore store = new InMemoryBucketStore(
        () -> begunMicros + TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - begunNanos));
    return new Parts(store, store, policies, new Figures(() -> 1, () -> 0, () -> 0), List.of());
  }
}
