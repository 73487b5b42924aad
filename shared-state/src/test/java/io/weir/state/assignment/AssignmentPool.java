package io.weir.state.assignment;

import io.weir.core.assignment.Assignment;
import io.weir.core.assignment.DividedLimit;
import io.weir.core.assignment.UsageReport;
import io.weir.core.bucket.LeakyBucket;
import io.weir.state.assignment.AssignmentHolder.Sent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A limit that is divided among clients: each has a token bucket of a part of its rate and its burst. The rest is a
 * bucket as well, whose level drains by the rate that is left. The sums of rates and of bursts are at most those of
 * the limit, and a burst that comes back is counted as used, so at no time more has passed than the limit allows. {@code
 * lua/assign.lua} has the same. Immutable.
 *
 * @param level used burst that no client has, in parts times microseconds of the period
 * @param atMicros the instant of that level
 * @param sequence of the last answer
 * @param holders by client
 * @param endings assignments that may still be spent and are not prolonged, by their record
 */
record AssignmentPool(
    long level,
    long atMicros,
    long sequence,
    Map<String, AssignmentHolder> holders,
    Map<Long, Ending> endings) {
  /** Nothing is held of the limit. */
  static final AssignmentPool EMPTY = new AssignmentPool(0, 0, 0, Map.of(), Map.of());

  /** More have nothing. */
  private static final int MOST_HOLDERS = 256;

  private static final long WHOLE = Assignment.WHOLE;
  /** From the decision on an assignment to its end at a client whose clock is slow by a sixteenth. */
  static final long HELD_MICROS = 11_500_000;

  /** An assignment that is prolonged by then arrives before it ends, by a clock that is fast by a sixteenth. */
  private static final long PROLONGED_MICROS = 8_500_000;

  private static final long IDLE_MICROS = 10_000_000;

  /** So much of the rate at least drains what has come back. */
  private static final long DRAINS = WHOLE / 64;

  private static final long FREE_PER_BURST = 16;

  AssignmentPool {
    holders = Map.copyOf(holders);
    endings = Map.copyOf(endings);
  }

  /**
   * An assignment that ends.
   *
   * @param untilMicros when it has ended for sure
   */
  record Ending(long rate, long burst, long untilMicros) {}

  /** The pool after a report, and the answer. */
  record Assigned(AssignmentPool pool, Assignment answer) {}

  /** Takes a report and answers it. */
  Assigned report(DividedLimit limit, UsageReport report, long clockMicros) {
    AssignmentPool now = rebased(clockMicros).settled(limit, clockMicros).arrived(report);
    AssignmentHolder known = now.holders.get(report.client());
    if (known == null) {
      return now.admitted(limit, report);
    }
    AssignmentHolder used = known.used(report.used(), now.atMicros);
    if (now.atMicros - used.usage().usedMicros() >= IDLE_MICROS) {
      AssignmentPool ended = now.ended(report.client());
      return new Assigned(
          new AssignmentPool(
              ended.level, ended.atMicros, sequence + 1, ended.holders, ended.endings),
          new Assignment(0, 0, sequence + 1, 0, true));
    }
    return now.with(report.client(), used).assigned(report.client());
  }

  /** The sum of all rates that clients may have now. */
  long rates() {
    return holders.values().stream().mapToLong(AssignmentHolder::rate).sum() + endingRates();
  }

  /** The sum of all bursts that clients may have now. */
  long bursts() {
    return holders.values().stream().mapToLong(AssignmentHolder::burst).sum()
        + endings.values().stream().mapToLong(Ending::burst).sum();
  }

  private long endingRates() {
    return endings.values().stream().mapToLong(Ending::rate).sum();
  }

  // An assignment that may have ended is not prolonged: the client gets another one beside it. One
  // that moves to another connection has a new record, so that the former connection lost it.
  private AssignmentPool arrived(UsageReport report) {
    AssignmentHolder known = holders.get(report.client());
    if (known == null) {
      return this;
    }
    AssignmentHolder arrived = known.arrived(report, atMicros);
    boolean isMoved = report.record() == UsageReport.UNKNOWN;
    boolean isSame = isMoved || report.record() == arrived.sent().record();
    if (isSame && atMicros <= arrived.sent().reachedMicros() + PROLONGED_MICROS) {
      return with(report.client(), isMoved ? arrived.recorded(sequence + 1) : arrived);
    }
    return with(report.client(), arrived).ended(report.client());
  }

  private Assigned admitted(DividedLimit limit, UsageReport report) {
    long free = (WHOLE * limit.micros() - level) / limit.micros() - bursts();
    boolean hasRoom = free >= limit.leastBurst() && holders.size() + endings.size() < MOST_HOLDERS;
    if (!hasRoom) {
      return new Assigned(this, new Assignment(0, 0, sequence, 0, false));
    }
    long burst = Math.max(limit.leastBurst(), free / FREE_PER_BURST);
    return with(report.client(), AssignmentHolder.first(burst, sequence + 1, atMicros))
        .assigned(report.client());
  }

  private Assigned assigned(String client) {
    AssignmentHolder mine = holder(client);
    Sent sent = mine.sent();
    boolean isLowering = mine.rate() > sent.rate();
    long most = WHOLE - (rates() - mine.rate());
    long rate = Math.min(Math.max(1, target(client)), most);
    long next = isLowering || isLittleMore(rate, sent.rate()) ? sent.rate() : rate;
    AssignmentHolder after = mine.assigned(next, sequence + 1, atMicros + HELD_MICROS);
    AssignmentPool pool = with(client, after);
    return new Assigned(
        new AssignmentPool(pool.level, atMicros, sequence + 1, pool.holders, endings),
        new Assignment(next, mine.burst(), sequence + 1, sent.record(), false));
  }

  // Each change replaces the client's token bucket. A lower rate may be all that another one gets.
  private static boolean isLittleMore(long rate, long before) {
    return rate >= before && (rate - before) * 128 < before;
  }

  // Everybody gets the demand and an equal part of the rest, or the demand up to an equal part.
  private long target(String client) {
    long whole = Math.max(0, (level > 0 ? WHOLE - DRAINS : WHOLE) - endingRates());
    List<Long> wants =
        new ArrayList<>(holders.values().stream().map(AssignmentPool::want).toList());
    long sum = wants.stream().mapToLong(Long::longValue).sum();
    long mine = want(holder(client));
    if (sum <= whole) {
      return mine + (whole - sum) / wants.size();
    }
    wants.sort(Comparator.naturalOrder());
    long rest = whole;
    for (int i = 0; i < wants.size(); i++) {
      long part = rest / (wants.size() - i);
      if (wants.get(i) > part) {
        return Math.min(mine, part);
      }
      rest -= wants.get(i);
    }
    throw new IllegalStateException("the sum of the demands is above the whole");
  }

  // Above 0, so that the rate of a client that begins is, too.
  private static long want(AssignmentHolder holder) {
    return holder.usage().demand() + 1;
  }

  private AssignmentPool with(String client, AssignmentHolder holder) {
    Map<String, AssignmentHolder> next = new HashMap<>(holders);
    next.put(client, holder);
    return new AssignmentPool(level, atMicros, sequence, next, endings);
  }

  private AssignmentPool ended(String client) {
    AssignmentHolder holder = holder(client);
    Map<String, AssignmentHolder> left = new HashMap<>(holders);
    left.remove(client);
    Map<Long, Ending> next = new HashMap<>(endings);
    next.put(holder.sent().record(), holder.ending());
    return new AssignmentPool(level, atMicros, sequence, left, next);
  }

  private AssignmentHolder holder(String client) {
    AssignmentHolder holder = holders.get(client);
    if (holder == null) {
      throw new IllegalStateException("no holder " + client);
    }
    return holder;
  }

  // The clock was set back: all instants are moved to its present time.
  private AssignmentPool rebased(long clockMicros) {
    long ahead = atMicros - clockMicros;
    if (ahead <= 0) {
      return this;
    }
    Map<String, AssignmentHolder> moved = new HashMap<>();
    holders.forEach((client, holder) -> moved.put(client, holder.rebased(ahead)));
    Map<Long, Ending> ends = new HashMap<>();
    endings.forEach((record, ending) ->
        ends.put(record, new Ending(ending.rate(), ending.burst(), ending.untilMicros() - ahead)));
    return new AssignmentPool(level, clockMicros, sequence, moved, ends);
  }

  // A burst counts as used at the instant of its end.
  private AssignmentPool settled(DividedLimit limit, long now) {
    List<Ending> over = Stream.concat(
            holders.values().stream().map(AssignmentHolder::ending), endings.values().stream())
        .filter(one -> one.untilMicros() <= now)
        .sorted(Comparator.comparingLong(Ending::untilMicros))
        .toList();
    long free = WHOLE - rates();
    long used = level;
    long at = atMicros;
    for (Ending one : over) {
      long ended = Math.max(at, one.untilMicros());
      used = drained(used, free, ended - at) + one.burst() * limit.micros();
      free += one.rate();
      at = ended;
    }
    used = drained(used, free, now - at);
    return over.isEmpty()
        ? new AssignmentPool(used, now, sequence, holders, endings)
        : new AssignmentPool(
            used,
            now,
            sequence,
            without(holders, holder -> holder.untilMicros() <= now),
            without(endings, ending -> ending.untilMicros() <= now));
  }

  // The product is below the level, so it does not overflow.
  private static long drained(long level, long rate, long micros) {
    boolean isEmpty = rate > 0 && micros >= LeakyBucket.ceilDiv(level, rate);
    return isEmpty ? 0 : level - rate * micros;
  }

  private static <K, V> Map<K, V> without(Map<K, V> all, Predicate<V> isOver) {
    Map<K, V> left = new HashMap<>(all);
    left.values().removeIf(isOver);
    return left;
  }
}
