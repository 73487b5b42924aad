package io.weir.operators.rehearsal;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Reason;
import io.weir.core.policy.OperationLimit;
import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.policy.OperationLimit.Unlimited;
import io.weir.core.policy.Plan;
import io.weir.core.policy.Subject;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.StoreAnswer;
import io.weir.node.admission.Witness.Question;
import io.weir.node.trace.RequestTrace;
import io.weir.operators.rehearsal.Outcomes.Counts;
import io.weir.operators.rehearsal.Outcomes.Name;
import io.weir.operators.top.LimitName;
import io.weir.operators.top.ReasonCode;
import io.weir.operators.top.SubjectName;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Decides requests of one event loop once more, by limits that are not enforced, after they were decided: nobody waits
 * for it. Mutable; owned by that event loop, which others ask through it.
 */
final class LoopRehearsal {
  /** The most charges under way at once; further ones are counted as unknown. */
  private static final int MOST_OPEN = 512;

  private final Context loop;
  private final BucketStore store;
  private final ShadowCharges charges;
  private final RehearsalMeters meters;
  private final WouldDeny listener;
  private final Account.Writer account = new Account.Writer();
  private int open;

  LoopRehearsal(
      Context loop,
      BucketStore store,
      ShadowCharges charges,
      RehearsalMeters meters,
      WouldDeny listener) {
    this.loop = loop;
    this.store = store;
    this.charges = charges;
    this.meters = meters;
    this.listener = listener;
  }

  /** A request, how it was decided, and the plan by which it is decided once more. */
  private record Request(
      Question question, Decision decided, Plan plan, Optional<Context> context) {
    boolean passes() {
      return decided instanceof Allowed;
    }

    Name name() {
      return new Name(plan.name(), plan.tagOf(question.operation()));
    }
  }

  /**
   * Decides a request by a plan, and counts how it stands beside what was decided. Called while the request is served.
   *
   * @param revision of the policy in force
   */
  void decide(Question question, Decision decided, Plan plan, long revision) {
    Request of = new Request(question, decided, plan, RequestTrace.here());
    OperationLimit limit = plan.limit(question.operation());
    if (limit instanceof Unlimited) {
      count(of, Counts.of(of.passes(), true));
      return;
    }
    if (!(limit instanceof Limited limited)) {
      denied(of, decided, ReasonCode.of(Reason.ACCESS_DISABLED, limit));
      return;
    }
    Subject subject = question.subject();
    ShadowCharge charge =
        charges.of(limited, subject.tenant(), subject.id(), question.cost(), revision);
    if (charge.isEmpty() || open >= MOST_OPEN) {
      count(of, Counts.UNKNOWN);
      return;
    }
    open++;
    charge
        .decide(store)
        .whenComplete((answer, error) -> loop.runOnContext(now -> {
          open--;
          if (answer instanceof StoreAnswer.Decided found) {
            decided(of, found.decision());
          } else {
            count(of, Counts.UNKNOWN);
          }
        }));
  }

  /** The decisions that a request would get by a plan; none if it has no limits, or they cannot be rehearsed. */
  CompletionStage<List<Decision>> peek(Question question, Plan plan, long revision) {
    Subject subject = question.subject();
    return plan.limit(question.operation()) instanceof Limited limited
        ? charges
            .of(limited, subject.tenant(), subject.id(), question.cost(), revision)
            .peek(store)
        : CompletableFuture.completedFuture(List.of());
  }

  /** Counts a request of a subject that the other policy does not have. */
  void unknownKey(Question question, Decision decided) {
    Request of = new Request(question, decided, question.subject().plan(), RequestTrace.here());
    denied(of, decided, "key_unknown");
  }

  private void decided(Request of, Decision found) {
    found.fold(
        allowed -> {
          count(of, Counts.of(of.passes(), true));
          return true;
        },
        denied ->
            denied(of, found, denied.full().isEmpty() ? "full" : denied.full().get(0)),
        never -> denied(
            of,
            found,
            never.full().isEmpty() ? never.reason().code() : never.full().get(0)));
  }

  private boolean denied(Request of, Decision found, String limit) {
    count(of, Counts.of(of.passes(), false));
    if (of.passes()) {
      Question question = of.question();
      LimitName by = new LimitName(of.name().plan(), of.name().operation(), limit);
      account.denied(
          new SubjectName(question.subject().tenant(), question.subject().id()), by);
      listener.found(
          new WouldDeny.Found(question, found, by, of.context().flatMap(RequestTrace::id)));
    }
    return false;
  }

  private void count(Request of, Counts counts) {
    account.count(of.name(), counts);
    meters.count(of.name().plan(), of.name().operation(), counts.word());
  }

  /** The findings until now. Any thread may call this. */
  Future<Account> account() {
    Promise<Account> reply = Promise.promise();
    loop.runOnContext(now -> reply.complete(account.account()));
    return reply.future();
  }
}
