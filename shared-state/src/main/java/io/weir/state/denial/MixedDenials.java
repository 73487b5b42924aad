package io.weir.state.denial;

import io.weir.core.kind.Hold;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.state.connection.Returns;
import io.weir.state.wire.PendingCharge;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Recent denials by Redis of charges of several kinds: quotas, permits, congestion, reservations, and rates in addition
 * to them. Bounded; safe for use by many threads.
 *
 * <p>A request whose reservation may already exist is answered here only if its subject asks too often: Redis knows
 * whether it is a repetition.
 */
final class MixedDenials {
  private final Map<SubjectOperation, MixedDenial> known = new ConcurrentHashMap<>();
  private final Map<SubjectOperation, AskBudget> budgets = new ConcurrentHashMap<>();
  private final LongSupplier nanoTime;
  private final Returns returns;

  MixedDenials(LongSupplier nanoTime, Returns returns) {
    this.nanoTime = nanoTime;
    this.returns = returns;
  }

  /** The answer, if it is known; null if Redis has to be asked. */
  @Nullable
  StoreAnswer answer(Charge charge) {
    if (known.isEmpty()) {
      return null;
    }
    SubjectOperation operation = SubjectOperation.of(charge);
    MixedDenial denial = known.get(operation);
    if (denial == null) {
      return null;
    }
    long now = nanoTime.getAsLong();
    if (denial.isOver(now)) {
      known.remove(operation, denial);
      return null;
    }
    return answer(operation, denial, charge, now);
  }

  private @Nullable StoreAnswer answer(
      SubjectOperation operation, MixedDenial denial, Charge charge, long now) {
    boolean mayRepeat = charge.extras().hold().filter(Hold::isNamed).isPresent();
    boolean isNewcomer = charge.ticket().shown().isEmpty();
    if (!mayRepeat && isNewcomer && denial.concerns(charge)) {
      if (denial.isCertain(now) || !denial.mayAsk(now)) {
        return denial.deny(charge, now);
      }
    }
    return budget(operation).mayAsk(now, AskBudget.Pace.of(charge))
        ? null
        : denial.deny(charge, now);
  }

  /** Remembers a denial. */
  void learn(PendingCharge denied, MixedAnswer answer, MixedDenial.Terms terms) {
    SubjectOperation operation = SubjectOperation.of(denied.charge());
    MixedDenial denial = new MixedDenial(denied, answer, terms, returns, nanoTime.getAsLong());
    DenialCache.makeRoom(known, operation);
    known.merge(
        operation,
        denial,
        (before, newer) -> newer.isNewerThan(before) ? newer.after(before) : before);
  }

  /** Records that a request of the operation was admitted. */
  void admitted(Charge charge) {
    if (!known.isEmpty()) {
      MixedDenial denial = known.get(SubjectOperation.of(charge));
      if (denial != null) {
        denial.hasRoom();
      }
    }
  }

  private AskBudget budget(SubjectOperation operation) {
    DenialCache.makeRoom(budgets, operation);
    return budgets.computeIfAbsent(operation, name -> new AskBudget(AskBudget.FEW));
  }
}
