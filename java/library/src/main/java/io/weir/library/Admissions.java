package io.weir.library;

import io.weir.core.policy.OperationRule;
import io.weir.core.policy.Policy;
import io.weir.core.policy.SettleRule;
import io.weir.core.policy.Subject;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Cost;
import io.weir.core.throttle.Ended;
import io.weir.core.throttle.PolicySource;
import io.weir.core.throttle.Throttle;
import io.weir.core.throttle.UnknownSubjectException;
import io.weir.state.hold.HoldWish;
import io.weir.state.hold.Holds;
import io.weir.state.wire.RandomId;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/** Admits requests that hold something until they end. Safe for use by many threads; never blocks. */
final class Admissions {
  // The id is made for this request alone, so no content is compared.
  private static final String NOTHING_SAID = "-";
  /** The request of a caller that comes for the first time. */
  static final TicketRequest NEWCOMER = TicketRequest.wanted(Optional.empty(), RandomId::next);

  private final Throttle throttle;
  private final PolicySource policies;
  private final Holds holds;
  /** Requests that are not answered yet. */
  private final Map<Object, CompletableFuture<Hold>> underWay = new ConcurrentHashMap<>();

  private volatile boolean isClosed;

  Admissions(Throttle throttle, PolicySource policies, Holds holds) {
    this.throttle = throttle;
    this.policies = policies;
    this.holds = holds;
  }

  /** @param reserves whether the request is settled even if its operation has no rule for that */
  CompletionStage<Hold> admit(AcquireRequest request, boolean reserves) {
    CompletableFuture<Hold> hold = asked(request, reserves).toCompletableFuture();
    Object one = new Object();
    underWay.put(one, hold);
    return hold.whenComplete((found, error) -> underWay.remove(one));
  }

  /** Gives back what is admitted from now on; completes when the requests under way are answered. */
  CompletionStage<Void> close() {
    isClosed = true;
    return CompletableFuture.allOf(underWay.values().toArray(CompletableFuture[]::new))
        .exceptionally(error -> null);
  }

  private CompletionStage<Hold> asked(AcquireRequest request, boolean reserves) {
    Policy policy = policies.current().policy();
    Subject subject = policy.subject(request.subject()).orElse(null);
    if (subject == null) {
      return CompletableFuture.failedFuture(new UnknownSubjectException(request.subject()));
    }
    Optional<SettleRule> settle = policy.rule(request.operation()).flatMap(OperationRule::settle);
    HoldWish wish = reserves
        ? HoldWish.reserving(subject, settle, Optional.empty(), NOTHING_SAID, OptionalLong.empty())
        : HoldWish.of(subject, settle);
    return throttle
        .tryTake(
            request.subject(), request.operation(), cost(request, policy), ticket(request), wish)
        .whenComplete((decision, error) -> {
          if (error != null) {
            holds.withdraw(wish, error);
          }
        })
        .thenApply(decision -> opened(new Hold(holds.begin(decision, wish))));
  }

  private Hold opened(Hold hold) {
    if (isClosed) {
      CompletionStage<Ended> unused = hold.cancel();
      throw new CancellationException("closed while it was asked");
    }
    return hold;
  }

  static Cost cost(AcquireRequest request, Policy policy) {
    long most = request.cost().orElseGet(() -> policy.ownCost(request.operation()));
    return new Cost(most, request.atLeast().orElse(most));
  }

  static TicketRequest ticket(AcquireRequest request) {
    if (!request.wantsTicket()) {
      return TicketRequest.NONE;
    }
    return request.ticket().isEmpty()
        ? NEWCOMER
        : TicketRequest.wanted(request.ticket(), RandomId::next);
  }

  /** The same for a caller that waits so long at most: a ticket for later is of no use to it. */
  static TicketRequest ticket(AcquireRequest request, long withinMicros) {
    return new TicketRequest(request.ticket(), RandomId::next, withinMicros);
  }
}
