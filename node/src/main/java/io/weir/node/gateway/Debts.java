package io.weir.node.gateway;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.weir.decision.Decision;
import io.weir.decision.Decision.Denied;
import io.weir.node.Decider;
import io.weir.node.answer.DecisionAnswers;
import io.weir.node.answer.Tickets;
import io.weir.policy.Subject;
import io.weir.slot.TicketRequest;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What was executed before it was admitted: it is counted when its slot has come, so that it takes its turn
 * from those who come after. One for each event loop; what is owed when a node ends is forgotten.
 */
final class Debts {
  private static final Logger LOG = LoggerFactory.getLogger(Debts.class);
  private static final int MOST_OF_ONE = 100;
  private static final int MOST_SUBJECTS = 10_000;
  private static final int ATTEMPTS = 20;

  private final Vertx vertx;
  private final Context context;
  private final Decider decider;
  private final Map<String, Integer> owed = new HashMap<>();

  Debts(Vertx vertx, Context context, Decider decider) {
    this.vertx = vertx;
    this.context = context;
    this.decider = decider;
  }

  /** Counts what was denied as soon as it can be; false where the subject owes too much already. */
  boolean tryOwe(Subject subject, String operation, long cost, Denied denied) {
    int ofSubject = owed.getOrDefault(subject.id(), 0);
    if (ofSubject >= MOST_OF_ONE || owed.size() >= MOST_SUBJECTS) {
      return false;
    }
    owed.put(subject.id(), ofSubject + 1);
    pay(new Debt(subject, operation, cost, 1), denied);
    return true;
  }

  private void pay(Debt debt, Denied denied) {
    long wait = Math.max(1, DecisionAnswers.retryAfterMillis(denied));
    vertx.setTimer(
        wait,
        due -> decider
            .decide(
                context,
                debt.subject(),
                debt.operation(),
                debt.cost(),
                TicketRequest.wanted(denied.ticket(), Tickets.newId()))
            .onComplete((decision, error) -> paid(debt, denied, decision)));
  }

  private void paid(Debt debt, Denied before, @Nullable Decision decision) {
    boolean isOpen = decision == null || decision instanceof Denied;
    if (isOpen && debt.attempt() < ATTEMPTS) {
      Debt again = new Debt(debt.subject(), debt.operation(), debt.cost(), debt.attempt() + 1);
      pay(again, decision instanceof Denied denied ? denied : before);
      return;
    }
    owed.computeIfPresent(debt.subject().id(), (id, count) -> count == 1 ? null : count - 1);
    if (isOpen) {
      LOG.warn("a debt could not be counted in {} attempts and is forgotten", ATTEMPTS);
    }
  }

  private record Debt(Subject subject, String operation, long cost, int attempt) {}
}
