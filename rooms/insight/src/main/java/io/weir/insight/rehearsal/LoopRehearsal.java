package io.weir.insight.rehearsal;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.policy.OperationLimit;
import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.policy.OperationLimit.Unlimited;
import io.weir.core.policy.Plan;
import io.weir.core.policy.Subject;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.StoreAnswer;
import io.weir.insight.rehearsal.Outcomes.Counts;
import io.weir.insight.rehearsal.Outcomes.Name;
import io.weir.insight.top.LimitName;
import io.weir.insight.top.SubjectName;
import io.weir.node.admission.Witness.Question;

/**
 * Decides requests of one event loop once more, by limits that are not enforced, after they were decided: nobody waits
 * for it. Mutable; owned by that event loop, which others ask through it.
 */
final class LoopRehearsal {
  /** Those under way at once; more are counted as unknown. */
  private static final int MOST_OPEN = 512;

  private final Context loop;
  private final BucketStore store;
  private final ShadowCharges charges;
  private final RehearsalMeters meters;
  private final Account.Writer account = new Account.Writer();
  private int open;

  LoopRehearsal(Context loop, BucketStore store, ShadowCharges charges, RehearsalMeters meters) {
    this.loop = loop;
    this.store = store;
    this.charges = charges;
    this.meters = meters;
  }

  /**
   * Decides a request by a plan, and counts how it stands beside what was decided.
   *
   * @param revision of the policy in force
   */
  void decide(Question question, Decision decided, Plan plan, long revision) {
    boolean passes = decided instanceof Allowed;
    OperationLimit limit = plan.limit(question.operation());
    if (limit instanceof Unlimited) {
      count(question, plan, Counts.of(passes, true));
      return;
    }
    if (!(limit instanceof Limited limited)) {
      denied(question, plan, passes, "access_disabled");
      return;
    }
    Subject subject = question.subject();
    ShadowCharge charge =
        charges.of(limited, subject.tenant(), subject.id(), question.cost(), revision);
    if (charge.isEmpty() || open >= MOST_OPEN) {
      count(question, plan, Counts.UNKNOWN);
      return;
    }
    open++;
    charge
        .decide(store)
        .whenComplete((answer, error) -> loop.runOnContext(now -> {
          open--;
          if (answer instanceof StoreAnswer.Decided found) {
            decided(question, plan, passes, found.decision());
          } else {
            count(question, plan, Counts.UNKNOWN);
          }
        }));
  }

  /** Counts a request of a subject that the other policy does not have. */
  void unknownKey(Question question, Decision decided) {
    denied(question, question.subject().plan(), decided instanceof Allowed, "key_unknown");
  }

  private void decided(Question question, Plan plan, boolean passes, Decision found) {
    found.fold(
        allowed -> {
          count(question, plan, Counts.of(passes, true));
          return true;
        },
        denied -> denied(
            question,
            plan,
            passes,
            denied.full().isEmpty() ? "full" : denied.full().get(0)),
        never -> denied(
            question,
            plan,
            passes,
            never.full().isEmpty() ? never.reason().code() : never.full().get(0)));
  }

  private boolean denied(Question question, Plan plan, boolean passes, String limit) {
    count(question, plan, Counts.of(passes, false));
    if (passes) {
      account.denied(
          new SubjectName(question.subject().tenant(), question.subject().id()),
          new LimitName(plan.name(), plan.tagOf(question.operation()), limit));
    }
    return false;
  }

  private void count(Question question, Plan plan, Counts counts) {
    Name name = new Name(plan.name(), plan.tagOf(question.operation()));
    account.count(name, counts);
    meters.count(name.plan(), name.operation(), counts.word());
  }

  /** What was found until now. Any thread may ask. */
  Future<Account> account() {
    Promise<Account> told = Promise.promise();
    loop.runOnContext(now -> told.complete(account.account()));
    return told.future();
  }
}
