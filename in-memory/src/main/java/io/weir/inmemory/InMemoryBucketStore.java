package io.weir.inmemory;

import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Ended;
import io.weir.core.throttle.Ending;
import io.weir.core.throttle.Held;
import io.weir.core.throttle.HoldStore;
import io.weir.core.throttle.StoreAnswer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/**
 * A store in the memory of one process: for services with one node, and the specification of every other store.
 * Mutable; safe for use by many threads, one at a time inside.
 */
public final class InMemoryBucketStore implements BucketStore, HoldStore {
  private static final int MOST_EXPIRED = 100;

  private final LongSupplier clockMicros;
  private final Memory memory = new Memory();

  /** @param clockMicros microseconds since any fixed instant in the past; at least 0 */
  public InMemoryBucketStore(LongSupplier clockMicros) {
    this.clockMicros = clockMicros;
  }

  @Override
  public synchronized CompletionStage<StoreAnswer> tryCharge(Charge charge) {
    memory.sweep(clockMicros.getAsLong());
    return charge.isMixed() ? mixed(charge, false) : chargeRates(charge);
  }

  private CompletionStage<StoreAnswer> mixed(Charge charge, boolean isPeek) {
    long now = clockMicros.getAsLong();
    StoreAnswer answer = charge.isPartial()
        ? new PartialCharge(charge, memory, now, isPeek).decide()
        : new MixedCharge(charge, memory, now, isPeek).decide();
    return CompletableFuture.completedFuture(answer);
  }

  @Override
  public synchronized CompletionStage<Ended> end(Held held, Ending ending) {
    return CompletableFuture.completedFuture(endings().end(held, ending));
  }

  @Override
  public synchronized CompletionStage<List<Boolean>> renew(List<Held> held) {
    return CompletableFuture.completedFuture(held.stream().map(endings()::renew).toList());
  }

  @Override
  public synchronized CompletionStage<Integer> expire() {
    return CompletableFuture.completedFuture(endings().expire(MOST_EXPIRED));
  }

  private HoldEndings endings() {
    return new HoldEndings(memory, clockMicros.getAsLong());
  }

  private CompletionStage<StoreAnswer> chargeRates(Charge charge) {
    return CompletableFuture.completedFuture(rates(charge, false));
  }

  @Override
  public synchronized CompletionStage<StoreAnswer> peek(Charge charge) {
    return charge.isMixed()
        ? mixed(charge, true)
        : CompletableFuture.completedFuture(rates(charge, true));
  }

  private StoreAnswer rates(Charge charge, boolean isPeek) {
    Look look = new Look(charge, memory, clockMicros.getAsLong());
    if (look.newestRevision() > charge.revision()) {
      return new StoreAnswer.Stale(look.newestRevision());
    }
    RatesDecision decision =
        new RatesDecision(look, charge, new Payers(charge.demands(), 0), charge.cost());
    if (decision.isNever()) {
      return decision.never();
    }
    return isPeek ? decision.peek() : decision.decide();
  }
}
