package io.weir.state.redis;

import io.weir.bucket.Draw;
import io.weir.bucket.LeakyBucket;
import io.weir.decision.Verdict.Outcome;
import io.weir.decision.Verdict.Wait;
import io.weir.slot.LineReport;
import io.weir.slot.SlotMode;
import io.weir.throttle.Charge;
import io.weir.throttle.StoreAnswer;
import io.weir.throttle.StoreAnswer.Decided;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What Redis said no to a moment ago. Where nobody makes appointments, a full bucket stays full until it has
 * drained: whoever asks before is denied here, without a round trip, and told the rest of the same wait.
 *
 * <p>Nothing is denied here that Redis would allow: what is known is drained from the moment before Redis was
 * asked, somewhat faster than it drains, and only the same operation by the same revision is denied by it. It
 * is told drained from the moment after the answer, so that nobody comes too early. What else can empty a
 * bucket (a key deleted by hand, a Redis that was flushed) is noticed within {@link #MAX_AGE_NANOS}.
 *
 * <p>Bounded; safe for use by many threads.
 */
final class KnownDenials {
  static final long MAX_AGE_NANOS = 1_000_000_000;
  static final int MAX_KNOWN = 50_000;
  // Clocks of two machines differ by less than one part in a thousand.
  private static final int DRIFT = 1000;
  private static final int NANOS_PER_MICRO = 1000;

  private final Map<Owner, Denial> denials = new ConcurrentHashMap<>();
  private final LongSupplier nanoTime;

  /** @param nanoTime a clock that only goes on, in nanoseconds */
  KnownDenials(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Whether a denial of this charge may be known, and is worth knowing. */
  static boolean concern(Charge charge) {
    return charge.slots().mode() == SlotMode.OFF && charge.ticket().shown().isEmpty();
  }

  long now() {
    return nanoTime.getAsLong();
  }

  /** Remembers what Redis found used when it denied a charge that was asked at that time. */
  void learn(Charge charge, long[] used, long askedNanos) {
    Owner owner = new Owner(charge.tenant(), charge.subject());
    if (denials.size() >= MAX_KNOWN && !denials.containsKey(owner)) {
      denials.clear();
    }
    long wait = waitMicros(charge, used);
    denials.put(
        owner,
        new Denial(
            charge.revision(), charge.draws(), charge.cost(), wait, used, askedNanos, now()));
  }

  /** The answer, where it is known; null where Redis has to be asked. */
  @Nullable
  StoreAnswer answer(Charge charge) {
    if (denials.isEmpty()) {
      return null;
    }
    Owner owner = new Owner(charge.tenant(), charge.subject());
    Denial known = denials.get(owner);
    if (known == null || known.revision != charge.revision() || known.draws != charge.draws()) {
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

  // The longest of its buckets; 0 where all have room, or one never has.
  private static long waitMicros(Charge charge, long[] used) {
    long longest = 0;
    for (int i = 0; i < used.length; i++) {
      Draw draw = charge.draws().get(i);
      long units = draw.units(charge.cost());
      if (!LeakyBucket.canHold(draw.bucket(), units)) {
        return 0;
      }
      longest = Math.max(longest, LeakyBucket.waitMicros(draw.bucket(), used[i], units));
    }
    return longest;
  }

  private record Owner(String tenant, String subject) {}

  /** A wait gets shorter by what passes, to the microsecond: a bucket drains whole units in each. */
  @SuppressWarnings("ArrayRecordComponent")
  private record Denial(
      long revision,
      List<Draw> draws,
      long cost,
      long waitMicros,
      long[] used,
      long askedNanos,
      long answeredNanos) {

    /** The wait of a charge when Redis was asked. */
    long waitMicros(Charge charge) {
      return charge.cost() == cost ? waitMicros : KnownDenials.waitMicros(charge, used);
    }

    StoreAnswer answer(Charge charge, long wait, long elapsedMicros) {
      long[] left = new long[used.length];
      for (int i = 0; i < left.length; i++) {
        left[i] =
            LeakyBucket.drained(used[i], draws.get(i).bucket().milliOpsPerSec(), elapsedMicros);
      }
      Wait told = new Wait(wait - elapsedMicros, true, Optional.empty());
      return new Decided(charge.verdict(0).decision(Outcome.DENIED, left, told), LineReport.NONE);
    }
  }
}
