package io.weir.node.gateway;

import io.vertx.core.Future;
import io.weir.core.upstream.Provider;
import io.weir.core.upstream.Providers;
import io.weir.node.admission.Admission;
import io.weir.node.admission.Asked;
import io.weir.node.gateway.ProviderForwarder.Parts;
import io.weir.node.metrics.ProviderMeters.NotRetried;
import io.weir.node.metrics.ProviderMeters.RequestEnd;
import io.weir.node.provider.Outcome;
import io.weir.node.provider.ProviderGate.Entered;
import io.weir.node.provider.RetryBudget;
import io.weir.node.provider.Wish;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The attempts of one request at the providers of an upstream: where it was sent, whether it is sent again, and how it
 * ended. Mutable; owned by its event loop.
 */
final class Retries {
  private final Parts node;
  private final Asked asked;
  private final RetryBudget budget;
  private final List<String> before = new ArrayList<>();
  private UsableProviders usable;
  private String last = "";
  private int probes;
  private boolean isAfterProbe;
  private NotRetried why = NotRetried.ATTEMPTS;

  Retries(Parts node, Asked asked, RetryBudget budget) {
    this.node = node;
    this.asked = asked;
    this.budget = budget;
    this.usable = node.usables().of(asked.providers().orElseThrow());
  }

  /** The upstream, by the policy of the last attempt. */
  Providers upstream() {
    return usable.upstream();
  }

  UsableProviders usable() {
    return usable;
  }

  /**
   * The request's wish for a turn. Checks for a free connection first, so that no key slot is taken in vain.
   *
   * @param isRepeatable whether the sender knows it to be safe to repeat
   * @param deadlineNanos the latest time for its turn
   */
  Wish wish(BooleanSupplier isRepeatable, long deadlineNanos, BooleanSupplier isGone) {
    node.forwarder().reserve(asked).free();
    usable = node.usables().now(upstream().name());
    usable.refuseKeyless(asked);
    return new Wish(
        upstream(),
        asked.subject().id(),
        asked.subject().tenant(),
        asked.group(),
        before,
        asked.attempts(upstream()) > 1 && isRepeatable.getAsBoolean(),
        deadlineNanos,
        isGone);
  }

  /** An attempt begins; returns the request with the provider as destination. */
  Asked begin(Entered entered, Provider provider) {
    before.add(entered.place());
    last = provider.name();
    // Bounded: a request must not try providers forever, whatever their breakers do.
    isAfterProbe = entered.isProbe() && probes < upstream().all().size();
    probes += isAfterProbe ? 1 : 0;
    return asked.to(Admission.upstream(upstream(), provider));
  }

  /**
   * Whether the request is sent again; if so, the budget is charged.
   *
   * @param obstacle a reason against it that the sender knows
   */
  boolean isAllowed(Outcome outcome, Optional<NotRetried> obstacle) {
    if (!outcome.mayBeSentAgain()) {
      return false;
    }
    Optional<NotRetried> reason = obstacle.or(() -> limit(outcome));
    reason.ifPresent(known -> why = known);
    return reason.isEmpty();
  }

  private Optional<NotRetried> limit(Outcome outcome) {
    int attempts = asked.attempts(upstream());
    if (attempts == 1 || before.size() - probes >= attempts) {
      return Optional.of(NotRetried.ATTEMPTS);
    }
    // If the only key slot asked for a wait, its answer is the final answer.
    if (outcome.coolMillis() > 0 && !usable.hasAnother(asked, new HashSet<>(before))) {
      return Optional.of(NotRetried.ALONE);
    }
    OptionalInt percent = upstream().retry().budgetPercent();
    // A probe serves all other requests: the retry after it costs no budget.
    return isAfterProbe || budget.spend(percent, System.nanoTime())
        ? Optional.empty()
        : Optional.of(NotRetried.BUDGET);
  }

  /** Waits before the next attempt; not after a probe. */
  Future<Void> backOff() {
    int waits = before.size() - probes - 1;
    long wait = isAfterProbe
        ? 0
        : upstream().retry().waitMillis(waits, ThreadLocalRandom.current().nextDouble());
    node.meters().again(upstream().name(), last, wait);
    return node.vertx().timer(Math.max(1, wait), TimeUnit.MILLISECONDS).mapEmpty();
  }

  /** The last attempt has ended: counts the request. */
  void end(Outcome outcome) {
    if (outcome.mayBeSentAgain()) {
      fail();
    } else {
      boolean isKnown = outcome.health() != Outcome.Health.NEUTRAL || outcome.isAnswer();
      end(isKnown ? RequestEnd.ANSWERED : RequestEnd.CANCELLED);
    }
  }

  /** The request got no turn. */
  void end(String code) {
    if (before.isEmpty()) {
      node.meters().refused(upstream().name(), code);
      end(RequestEnd.REFUSED);
    } else {
      why = NotRetried.REFUSED;
      fail();
    }
  }

  /** The caller has hung up. */
  void cancel() {
    end(RequestEnd.CANCELLED);
  }

  private void fail() {
    node.meters().notRetried(upstream().name(), last, why);
    if (before.size() > 1) {
      node.meters().exhausted(upstream().name(), last);
    }
    end(RequestEnd.FAILED);
  }

  private void end(RequestEnd end) {
    node.meters().request(upstream().name(), end);
  }
}
