package io.weir.state.redis;

import io.weir.bucket.Demand;
import io.weir.bucket.LeakyBucket;
import io.weir.decision.Verdict.Outcome;
import io.weir.decision.Verdict.Wait;
import io.weir.slot.QueueReport;
import io.weir.slot.SlotMode;
import io.weir.state.redis.wire.Owner;
import io.weir.state.redis.wire.PendingCharge;
import io.weir.throttle.Charge;
import io.weir.throttle.StoreAnswer;
import io.weir.throttle.StoreAnswer.Decided;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What Redis denied a moment ago. Where a plan makes no places, a full bucket stays full until it has drained: a
 * caller that asks before is denied here, without a round trip, and told the rest of the same wait. Where a queue is
 * full, or a bucket has no places, Redis gives a block of future moments, of which each caller here gets another one,
 * and says until when no newcomer can hear anything better.
 *
 * <p>It also bounds how often one subject asks Redis for what may need the queue lane: past twice the rate of its
 * buckets and 500 a second its newcomers are answered from the last block, past twice that again the holders of tickets
 * are told to come a moment later. So a subject that floods costs the shared state no more than its limit entitles it
 * to, however it varies its requests. Only such a subject may be denied here what Redis would allow.
 *
 * <p>Otherwise nothing is denied here that Redis would allow: what is known is drained from the moment before Redis was
 * asked, somewhat faster than it drains, and only the same operation by the same revision is denied by it. It
 * is told drained from the moment after the answer, so that nobody comes too early. What else can empty a
 * bucket (a key deleted by hand, a Redis that was flushed) is noticed within {@link #MAX_AGE_NANOS}.
 *
 * <p>Bounded; safe for use by many threads.
 */
final class DenialCache {
  static final long MAX_AGE_NANOS = 1_000_000_000;
  static final int MAX_KNOWN = 50_000;
  // Clocks of two machines differ by less than one part in a thousand.
  private static final int DRIFT = 1000;
  private static final int NANOS_PER_MICRO = 1000;
  private static final int TICKETS_TO_OTHERS = 2;

  private final Map<Owner, Denial> denials = new ConcurrentHashMap<>();
  private final Map<Owner, MomentBlock> blocks = new ConcurrentHashMap<>();
  private final Map<Owner, AskBudget> newcomers = new ConcurrentHashMap<>();
  private final Map<Owner, AskBudget> tickets = new ConcurrentHashMap<>();
  private final LongSupplier nanoTime;
  private final BooleanSupplier isPolicyChanging;

  /**
   * @param nanoTime a clock that only goes on, in nanoseconds
   * @param isPolicyChanging whether Redis may know a newer policy at any moment: nothing is answered here then
   */
  DenialCache(LongSupplier nanoTime, BooleanSupplier isPolicyChanging) {
    this.nanoTime = nanoTime;
    this.isPolicyChanging = isPolicyChanging;
  }

  /**
   * Moments without a place, as Redis gives them.
   *
   * @param firstMicros until the first of them, from when it decided
   * @param stepMicros from each to the next
   * @param count how many they are
   * @param freshMicros how long no newcomer can hear anything better, from when it decided
   */
  record Moments(long firstMicros, long stepMicros, long count, long freshMicros) {}

  /** Whether a denial of this charge is the same for all callers, and is worth knowing. */
  static boolean concern(Charge charge) {
    return charge.slots().mode() == SlotMode.OFF && charge.ticket().shown().isEmpty();
  }

  long now() {
    return nanoTime.getAsLong();
  }

  /** Remembers what Redis found used when it denied a charge that was asked at that time. */
  void learn(Charge charge, long[] used, long askedNanos) {
    long wait = waitMicros(charge, used);
    put(
        denials,
        Owner.of(charge),
        new Denial(
            charge.revision(), charge.demands(), charge.cost(), wait, used, askedNanos, now()));
  }

  /** Remembers the moments that were left over when Redis denied these equal charges. */
  void learnBlock(PendingCharge first, long[] used, Moments moments) {
    put(blocks, Owner.of(first.charge()), new MomentBlock(first, used, moments, now()));
  }

  /** How many moments more than its own a charge should ask for: what was needed the last time, and as many again. */
  int spare(Charge charge) {
    MomentBlock block = blocks.isEmpty() ? null : blocks.get(Owner.of(charge));
    return block == null || block.isOver(now()) ? 0 : block.wanted();
  }

  /** The answer, where it is known; null where Redis has to be asked. */
  @Nullable
  StoreAnswer answer(Charge charge) {
    if (isPolicyChanging.getAsBoolean()) {
      return null;
    }
    if (charge.ticket().shown().isPresent()) {
      return answerTicket(charge);
    }
    if (denials.isEmpty() && blocks.isEmpty()) {
      return null;
    }
    Owner owner = Owner.of(charge);
    return concern(charge) ? answerFromDenial(owner, charge) : answerFromBlock(owner, charge);
  }

  // Whether a ticket is good only Redis knows. Past the bound its holder keeps it, and is told to
  // come a moment later.
  private @Nullable StoreAnswer answerTicket(Charge charge) {
    List<Demand> demands = charge.demands();
    if (budget(tickets, Owner.of(charge))
        .mayAsk(now(), TICKETS_TO_OTHERS * AskBudget.most(demands))) {
      return null;
    }
    long[] full =
        demands.stream().mapToLong(demand -> demand.bucket().capacityUnits()).toArray();
    Wait told =
        new Wait(AskBudget.WINDOW_NANOS / NANOS_PER_MICRO, true, charge.ticket().shown());
    return new Decided(charge.verdict().decision(Outcome.DENIED, full, told), QueueReport.NONE);
  }

  private @Nullable StoreAnswer answerFromBlock(Owner owner, Charge charge) {
    MomentBlock block = blocks.get(owner);
    long now = now();
    if (block == null || !block.isOf(charge)) {
      return null;
    }
    if (block.isOver(now)) {
      blocks.remove(owner, block);
      return null;
    }
    StoreAnswer answer = block.answer(charge, now);
    return answer != null || budget(newcomers, owner).mayAsk(now, AskBudget.most(charge.demands()))
        ? answer
        : block.answerBeyondBound(charge, now);
  }

  private static AskBudget budget(Map<Owner, AskBudget> budgets, Owner owner) {
    if (budgets.size() >= MAX_KNOWN) {
      budgets.clear();
    }
    return budgets.computeIfAbsent(owner, name -> new AskBudget());
  }

  private @Nullable StoreAnswer answerFromDenial(Owner owner, Charge charge) {
    Denial known = denials.get(owner);
    if (known == null || known.revision != charge.revision() || known.demands != charge.demands()) {
      return null;
    }
    long now = now();
    if (now - known.answeredNanos > MAX_AGE_NANOS) {
      denials.remove(owner, known);
      return null;
    }
    long atMost = (now - known.askedNanos) / NANOS_PER_MICRO;
    long wait = known.waitMicros(charge);
    if (wait <= atMost + atMost / DRIFT + 1) {
      return null;
    }
    long atLeast = (now - known.answeredNanos) / NANOS_PER_MICRO;
    return known.answer(charge, wait, atLeast - atLeast / DRIFT);
  }

  private static <T> void put(Map<Owner, T> all, Owner owner, T known) {
    if (all.size() >= MAX_KNOWN && !all.containsKey(owner)) {
      all.clear();
    }
    all.put(owner, known);
  }

  // The longest of its buckets; 0 where all have room, or one never has.
  private static long waitMicros(Charge charge, long[] used) {
    long longest = 0;
    for (int i = 0; i < used.length; i++) {
      Demand demand = charge.demands().get(i);
      long units = demand.units(charge.cost());
      if (!LeakyBucket.canHold(demand.bucket(), units)) {
        return 0;
      }
      longest = Math.max(longest, LeakyBucket.waitMicros(demand.bucket(), used[i], units));
    }
    return longest;
  }

  /** A wait gets shorter by what passes, to the microsecond: a bucket drains whole units in each. */
  @SuppressWarnings("ArrayRecordComponent")
  private record Denial(
      long revision,
      List<Demand> demands,
      long cost,
      long waitMicros,
      long[] used,
      long askedNanos,
      long answeredNanos) {

    /** The wait of a charge when Redis was asked. */
    long waitMicros(Charge charge) {
      return charge.cost() == cost ? waitMicros : DenialCache.waitMicros(charge, used);
    }

    StoreAnswer answer(Charge charge, long wait, long elapsedMicros) {
      long[] left = new long[used.length];
      for (int i = 0; i < left.length; i++) {
        left[i] =
            LeakyBucket.drained(used[i], demands.get(i).bucket().milliOpsPerSec(), elapsedMicros);
      }
      Wait told = new Wait(wait - elapsedMicros, true, Optional.empty());
      return new Decided(charge.verdict().decision(Outcome.DENIED, left, told), QueueReport.NONE);
    }
  }
}
