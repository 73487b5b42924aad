package io.weir.node.envoy;

import static java.util.concurrent.CompletableFuture.completedFuture;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.policy.PolicyRevision;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.JointCharge;
import io.weir.core.throttle.JointThrottle;
import io.weir.core.throttle.PolicySource;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.core.throttle.Throttle;
import io.weir.inmemory.InMemoryBucketStore;
import io.weir.node.admission.Decider;
import io.weir.node.admission.Witness;
import io.weir.node.envoy.GrpcCall.Deadline;
import io.weir.node.metrics.NodeMetrics;
import io.weir.node.trace.Tracing;
import io.weir.state.document.PolicyDocuments;
import io.weir.testkit.ManualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The rate limit service in memory, on a clock that the test moves. Owned by one test. */
final class ManualRateLimits implements AutoCloseable {
  private final Vertx vertx = Vertx.vertx();
  private final Context loop = vertx.getOrCreateContext();
  private final ManualClock clock = new ManualClock();
  private final InMemoryBucketStore store = new InMemoryBucketStore(clock);
  private final RateLimits limits;
  private boolean isAway;

  ManualRateLimits(String policy) {
    Source policies =
        new Source(new PolicyRevision(1, PolicyDocuments.parse("test", policy).policy()));
    this.limits = new RateLimits(
        loop,
        policies,
        new Decider(
            new Throttle(store, policies),
            new JointThrottle(this::tryAll, policies),
            new NodeMetrics(),
            Tracing.NONE,
            Witness.NONE),
        new Corrections(ManualRateLimits::none, ManualRateLimits::none),
        id -> Future.succeededFuture(policies.current().policy().subject(id)));
  }

  private record Source(PolicyRevision current) implements PolicySource {
    @Override
    public CompletionStage<PolicyRevision> reload(long seenRevision) {
      return completedFuture(current);
    }
  }

  private static CompletionStage<?> none(
      String tenant, String subject, Limited limit, long operations) {
    throw new UnsupportedOperationException("memory has no corrections without a reservation");
  }

  /** From now on charges of several limits find no shared state. */
  void loseJointCharges() {
    isAway = true;
  }

  void advanceMicros(long micros) {
    clock.advance(micros);
  }

  EnvoyAnswer ask(Buffer message) {
    return EnvoyAnswer.of(ask(message, () -> {}));
  }

  /** The same for a caller with a deadline. */
  Buffer ask(Buffer message, Deadline deadline) {
    Promise<Buffer> answer = Promise.promise();
    loop.runOnContext(now -> Future.<Buffer>future(
            done -> limits.answer(message, Optional.empty(), deadline).onComplete(done))
        .onComplete(answer));
    return answer.future().toCompletionStage().toCompletableFuture().join();
  }

  // One call after another, so that a look is as good as a step that takes all or nothing. Of those
  // that are denied, the one with the longest wait makes its place. Without tickets.
  private CompletionStage<List<StoreAnswer>> tryAll(JointCharge joint) {
    if (isAway) {
      return CompletableFuture.failedFuture(
          new StoreUnavailableException(StoreFault.SLOW, "away", null));
    }
    List<Charge> charges = joint.charges();
    List<StoreAnswer> answers = new ArrayList<>();
    charges.forEach(
        charge -> answers.add(store.peek(charge).toCompletableFuture().join()));
    int longest = 0;
    for (int i = 1; i < charges.size(); i++) {
      longest = weight(answers.get(i)) > weight(answers.get(longest)) ? i : longest;
    }
    boolean isAllowed = weight(answers.get(longest)) < 0;
    for (int i = 0; i < charges.size(); i++) {
      if (isAllowed || i == longest) {
        answers.set(i, store.tryCharge(charges.get(i)).toCompletableFuture().join());
      }
    }
    return completedFuture(answers);
  }

  private static long weight(StoreAnswer answer) {
    return ((Decided) answer)
        .decision()
        .fold((Allowed allowed) -> -1L, Denied::retryAfterMicros, never -> Long.MAX_VALUE);
  }

  @Override
  public void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }
}
