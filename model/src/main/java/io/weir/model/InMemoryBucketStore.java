package io.weir.model;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.LeakyBucket;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Verdict;
import io.weir.core.decision.Verdict.Outcome;
import io.weir.core.decision.Verdict.Wait;
import io.weir.core.slot.QueueReport;
import io.weir.core.slot.QueueReport.Returned;
import io.weir.core.slot.SlotMode;
import io.weir.core.slot.SlotRules;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Ended;
import io.weir.core.throttle.Ending;
import io.weir.core.throttle.Held;
import io.weir.core.throttle.HoldStore;
import io.weir.core.throttle.StoreAnswer;
import io.weir.model.Place.Share;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

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
    StoreAnswer answer = new MixedCharge(
            charge,
            memory,
            clockMicros.getAsLong(),
            isPeek,
            asked -> chargeRates(asked).toCompletableFuture().join())
        .decide();
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
    Look look = new Look(charge, memory, clockMicros.getAsLong());
    if (look.newestRevision() > charge.revision()) {
      return CompletableFuture.completedFuture(new StoreAnswer.Stale(look.newestRevision()));
    }
    Verdict verdict = charge.verdict();
    if (isNever(verdict)) {
      return never(look, verdict);
    }
    look.settle(look.scopes()).forEach(look::write);
    boolean alone = !look.hasQueue() && charge.ticket().shown().isEmpty();
    look.load();
    Outcome outcome = verdict.outcome(look.used());
    return alone && (outcome == Outcome.ALLOWED || charge.slots().mode() == SlotMode.OFF)
        ? withoutQueue(look, verdict, outcome)
        : inQueue(look, verdict);
  }

  @Override
  public synchronized CompletionStage<StoreAnswer> peek(Charge charge) {
    return charge.isMixed() ? mixed(charge, true) : peekRates(charge);
  }

  private CompletionStage<StoreAnswer> peekRates(Charge charge) {
    Look look = new Look(charge, memory, clockMicros.getAsLong());
    if (look.newestRevision() > charge.revision()) {
      return CompletableFuture.completedFuture(new StoreAnswer.Stale(look.newestRevision()));
    }
    Verdict verdict = charge.verdict();
    if (isNever(verdict)) {
      return never(look, verdict);
    }
    look.settle(look.scopes());
    look.load();
    SlotBooking.Result result = new SlotBooking(
            look.now(), SlotRules.OFF, TicketRequest.NONE, false)
        .newcomer(look.turns(), Returned.NOT);
    Wait wait = new Wait(result.waitMicros(), true, Optional.empty());
    return decided(verdict, result.outcome(), look.shown(look.buckets()), wait, QueueReport.NONE);
  }

  private static boolean isNever(Verdict verdict) {
    return verdict.outcome(new long[verdict.demands().size()]) == Outcome.NEVER_ALLOWED;
  }

  private static CompletionStage<StoreAnswer> never(Look look, Verdict verdict) {
    look.load();
    return decided(
        verdict, Outcome.NEVER_ALLOWED, look.shown(look.buckets()), Wait.NONE, QueueReport.NONE);
  }

  private static CompletionStage<StoreAnswer> withoutQueue(
      Look look, Verdict verdict, Outcome outcome) {
    long[] used = look.used();
    List<BucketState> after = new ArrayList<>();
    long wait = 0;
    for (int i = 0; i < used.length; i++) {
      Bucket bucket = look.charge().demands().get(i).bucket();
      if (outcome == Outcome.ALLOWED) {
        used[i] += verdict.units(i);
      } else {
        wait = Math.max(wait, LeakyBucket.waitMicros(bucket, used[i], verdict.units(i)));
      }
      long debt = Math.max(0, used[i] - bucket.capacityUnits());
      after.add(new BucketState(look.now(), bucket.rate(), used[i], 0, 0, 0, debt));
    }
    look.commit(after, outcome == Outcome.ALLOWED);
    Wait told = new Wait(wait, true, Optional.empty());
    return decided(verdict, outcome, look.shown(after), told, QueueReport.NONE);
  }

  private CompletionStage<StoreAnswer> inQueue(Look look, Verdict verdict) {
    Charge charge = look.charge();
    look.settle(EnumSet.of(Scope.KEY)).forEach(look::write);
    long lost = look.letGo();
    List<Share> kind = SlotBooking.shares(charge.demands(), charge.cost());
    SlotBooking booking =
        new SlotBooking(look.now(), look.rules(), charge.ticket(), look.hasRoom());
    Optional<Place> mine = look.find(kind);
    SlotBooking.Result result = mine.map(place -> booking.comeBack(look.turns(), place))
        .orElseGet(() -> booking.newcomer(look.turns(), look.withoutPlace()));
    if (!result.place().equals(mine)) {
      look.store(
          mine, Stream.concat(result.idle().stream(), result.place().stream()).toList());
    }
    look.commit(result.states(), result.changed());
    if (result.estimate() && charge.slots().mode() != SlotMode.OFF) {
      look.remember(result.turns());
    }
    Wait wait =
        new Wait(result.waitMicros(), result.estimate(), result.place().flatMap(Place::ticket));
    long length = result.made() ? look.size(Scope.KEY) : 0;
    QueueReport report = new QueueReport(result.returned(), result.made(), lost, length);
    return decided(verdict, result.outcome(), look.shown(result.states()), wait, report);
  }

  private static CompletionStage<StoreAnswer> decided(
      Verdict verdict, Outcome outcome, long[] shown, Wait wait, QueueReport report) {
    return CompletableFuture.completedFuture(
        new StoreAnswer.Decided(verdict.decision(outcome, shown, wait), report));
  }
}
