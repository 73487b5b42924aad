package io.weir.core.throttle;

import io.weir.core.decision.Decision;
import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.policy.PolicyRevision;
import io.weir.core.policy.Subject;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.core.throttle.StoreAnswer.Stale;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Decides on requests that take from the limits of several subjects at once, as {@link Throttle} does for one. */
public final class JointThrottle {
  private final JointStore store;
  private final PolicySource policies;

  public JointThrottle(JointStore store, PolicySource policies) {
    this.store = store;
    this.policies = policies;
  }

  /**
   * The part of one subject in a request.
   *
   * @param operation limited by the subject's plan
   * @param cost in operations, above 0
   */
  public record Part(Subject subject, String operation, long cost) {}

  /**
   * Takes the cost of all parts, or of none, see {@link JointStore#tryAll}.
   *
   * @param parts as a {@link JointCharge} has them
   * @param ticket the ticket that the caller shows or wants
   * @return completes with a decision for each part; exceptionally with {@link UnknownSubjectException} if the policy in
   *     force limits one of them no longer, or {@link StoreUnavailableException}
   */
  public CompletionStage<List<Decision>> tryTake(List<Part> parts, TicketRequest ticket) {
    return tryTake(parts, ticket, policies.current(), 0);
  }

  private CompletionStage<List<Decision>> tryTake(
      List<Part> parts, TicketRequest ticket, PolicyRevision policy, int reloads) {
    List<Charge> charges = new ArrayList<>(parts.size());
    for (Part part : parts) {
      Optional<Charge> charge = charge(part, ticket, policy);
      if (charge.isEmpty()) {
        return CompletableFuture.failedFuture(
            new UnknownSubjectException(part.subject().id()));
      }
      charges.add(charge.get());
    }
    return Stages.thenCompose(store.tryAll(new JointCharge(charges)), answers -> {
      if (answers.get(0) instanceof Stale stale) {
        return reload(parts, ticket, stale, reloads);
      }
      return CompletableFuture.completedFuture(
          answers.stream().map(answer -> ((Decided) answer).decision()).toList());
    });
  }

  private CompletionStage<List<Decision>> reload(
      List<Part> parts, TicketRequest ticket, Stale stale, int reloads) {
    if (reloads == Throttle.MAX_RELOADS) {
      return CompletableFuture.failedFuture(Throttle.unreached(stale));
    }
    return policies
        .reload(stale.newestRevision())
        .thenCompose(newer -> tryTake(parts, ticket, newer, reloads + 1));
  }

  private static Optional<Charge> charge(Part part, TicketRequest ticket, PolicyRevision policy) {
    return part.subject()
        .in(policy.policy())
        .flatMap(subject -> subject.plan().limit(part.operation()) instanceof Limited limited
            ? Optional.of(Throttle.charge(
                subject, policy, limited, Cost.of(part.cost()), Optional.empty(), ticket))
            : Optional.empty());
  }
}
