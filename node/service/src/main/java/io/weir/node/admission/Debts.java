package io.weir.node.admission;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.weir.core.answer.AnswerFields;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.slot.TicketRequest;
import io.weir.node.admission.Witness.Question;
import io.weir.state.wire.RandomId;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Debts: costs of requests that were executed before they were admitted. Each is charged when its slot comes. A key may
 * have 100 open debts on a node, and 10,000 keys may have some. A debt is forgotten after 20 attempts, with a warning,
 * and when the node ends. Safe for use by many threads.
 */
public final class Debts {
  private static final Logger LOG = LoggerFactory.getLogger(Debts.class);
  private static final int MOST_OF_KEY = 100;
  private static final int MOST_KEYS = 10_000;
  private static final int ATTEMPTS = 20;

  private final Vertx vertx;
  private final Decider decider;
  private final Map<String, Integer> owed = new HashMap<>();

  public Debts(Vertx vertx, Decider decider) {
    this.vertx = vertx;
    this.decider = decider;
  }

  /** Charges a denied request at its slot; false if the subject has too many open debts. */
  boolean tryOwe(Context context, Question question, Denied denied) {
    if (!mayOwe(question.subject().id())) {
      return false;
    }
    pay(new Debt(context, question, 1), denied);
    return true;
  }

  private synchronized boolean mayOwe(String key) {
    int before = owed.getOrDefault(key, 0);
    if (before == MOST_OF_KEY || (before == 0 && owed.size() == MOST_KEYS)) {
      return false;
    }
    owed.put(key, before + 1);
    return true;
  }

  private synchronized void forget(String key) {
    owed.computeIfPresent(key, (id, count) -> count == 1 ? null : count - 1);
  }

  private void pay(Debt debt, Denied denied) {
    long wait = Math.max(1, AnswerFields.retryAfterMillis(denied));
    vertx.setTimer(
        wait,
        due -> decider
            .consider(
                debt.context(),
                debt.question(),
                TicketRequest.wanted(denied.ticket(), RandomId::next),
                limited -> Optional.empty())
            .onComplete((decision, error) -> paid(debt, denied, decision)));
  }

  private void paid(Debt debt, Denied before, @Nullable Decision decision) {
    boolean isOpen = decision == null || decision instanceof Denied;
    if (isOpen && debt.attempt() < ATTEMPTS) {
      pay(debt.again(), decision instanceof Denied denied ? denied : before);
      return;
    }
    forget(debt.question().subject().id());
    if (isOpen) {
      LOG.warn("a debt could not be counted in {} attempts and is forgotten", ATTEMPTS);
    }
  }

  private record Debt(Context context, Question question, int attempt) {
    Debt again() {
      return new Debt(context, question, attempt + 1);
    }
  }
}
