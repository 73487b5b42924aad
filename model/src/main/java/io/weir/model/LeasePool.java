package io.weir.model;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.LeakyBucket;
import io.weir.core.lease.Lease;
import io.weir.core.lease.LeaseReport;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The shared side of leases: a bucket of which parts are leased. A leased part holds capacity and does not drain until
 * its holder reports it as spent, gives it back, or its lease expires; then it counts as spent at that instant. So the
 * counted level is never below the level that callers caused, and no grant exceeds the capacity. Who asked in vain has a
 * share of 0 units, to be counted among those who wait. {@code lua/lease.lua} has the same. Immutable.
 *
 * <p>Leases that expire by time are those of Gray and Cheriton (Leases: An Efficient Fault-Tolerant Mechanism for
 * Distributed File Cache Consistency, 1989); the holder stops before the grantor gives the share to others.
 *
 * @param rate of the bucket, in units a microsecond
 * @param used units that drain
 * @param atMicros the instant of that level
 * @param shares the leased parts, by holder
 */
public record LeasePool(long rate, long used, long atMicros, Map<String, Share> shares) {

  /** So many holders are kept at most if they have nothing. */
  private static final int MOST_IN_VAIN = 64;

  public LeasePool {
    shares = Map.copyOf(shares);
  }

  /**
   * The lease of one holder.
   *
   * @param out the leased units
   * @param untilMicros the time when its lease expires
   * @param sequence of the last report
   * @param spent the total spent in that report
   */
  public record Share(long out, long untilMicros, long sequence, long spent) {}

  /**
   * The answer to a report.
   *
   * @param pool the pool afterwards
   * @param granted units, added to those that the holder kept; -1 if the report came after a later one
   * @param waitMicros if nothing was granted, the time until there may be some
   * @param holders how many have units, or asked in vain within the length of a lease, this one included
   * @param before how many of these are before this one, by their names
   */
  public record Granted(LeasePool pool, long granted, long waitMicros, int holders, int before) {}

  /** An unused bucket. */
  public static LeasePool empty(Bucket bucket) {
    return new LeasePool(bucket.unitsPerMicro(), 0, 0, Map.of());
  }

  /** All leased units. */
  public long out() {
    return shares.values().stream().mapToLong(Share::out).sum();
  }

  /**
   * Takes a report and grants free units, for {@code leaseMicros} from now on.
   *
   * @param bucket its shape by the policy of the holder
   */
  public Granted exchange(Bucket bucket, LeaseReport report, long leaseMicros, long clockMicros) {
    LeasePool now = rebased(clockMicros).settled(clockMicros).reshaped(bucket);
    Share known = now.shares.get(report.holder());
    if (known != null && report.sequence() <= known.sequence()) {
      return new Granted(this, -1, 0, now.shares.size(), now.before(report.holder()));
    }
    long before = known == null ? report.acknowledged() : known.spent();
    long capacity = bucket.capacityUnits();
    long spent = Math.floorMod(report.spent() - before, LeaseReport.MODULUS);
    long level = spent > capacity - now.used ? capacity : now.used + spent;
    long others = now.out() - (known == null ? 0 : known.out());
    long free = Math.max(0, capacity - level - others - report.keeps());
    long granted = Math.min(report.wants(), free);
    granted = granted < report.least() ? 0 : granted;
    Map<String, Share> next = new TreeMap<>(now.shares);
    next.remove(report.holder());
    long out = report.keeps() + granted;
    int holders = next.size() + 1;
    if (out > 0 || (report.wants() > 0 && holders <= MOST_IN_VAIN)) {
      next.put(
          report.holder(),
          new Share(out, now.atMicros + leaseMicros, report.sequence(), report.spent()));
    }
    long wait = granted > 0 || report.wants() == 0
        ? 0
        : Lease.waitMicros(report.least() - free, others, now.rate, leaseMicros);
    return new Granted(
        new LeasePool(now.rate, level, now.atMicros, next),
        granted,
        wait,
        holders,
        now.before(report.holder()));
  }

  private int before(String holder) {
    return (int) shares.keySet().stream().filter(of -> of.compareTo(holder) < 0).count();
  }

  // The clock was set back: all instants are counted from its present time, so that the pool does
  // not stand still until the clock has caught up. Nothing drains and no lease ends sooner because
  // of that.
  private LeasePool rebased(long clockMicros) {
    long ahead = atMicros - clockMicros;
    if (ahead <= 0) {
      return this;
    }
    Map<String, Share> moved = new TreeMap<>();
    shares.forEach((holder, share) -> moved.put(
        holder,
        new Share(share.out(), share.untilMicros() - ahead, share.sequence(), share.spent())));
    return new LeasePool(rate, used, clockMicros, moved);
  }

  // Expired leases count as spent at the instant when they ended.
  private LeasePool settled(long now) {
    long level = used;
    long at = atMicros;
    Map<String, Share> left = new TreeMap<>(shares);
    List<Map.Entry<String, Share>> over = shares.entrySet().stream()
        .filter(entry -> entry.getValue().untilMicros() <= now)
        .sorted(Comparator.comparingLong(entry -> entry.getValue().untilMicros()))
        .toList();
    for (Map.Entry<String, Share> entry : over) {
      long ended = Math.max(at, entry.getValue().untilMicros());
      level = LeakyBucket.drained(level, rate, ended - at) + entry.getValue().out();
      at = ended;
      left.remove(entry.getKey());
    }
    return new LeasePool(rate, LeakyBucket.drained(level, rate, now - at), now, left);
  }

  // A change of policy keeps the time to drain; leased units are rounded up.
  private LeasePool reshaped(Bucket bucket) {
    if (rate == bucket.unitsPerMicro()) {
      return this;
    }
    Map<String, Share> next = new TreeMap<>();
    shares.forEach((holder, share) -> next.put(
        holder,
        new Share(
            share.out() == 0
                ? 0
                : Math.min(
                    bucket.capacityUnits(), OtherRate.carriedOver(share.out(), rate, bucket) + 1),
            share.untilMicros(),
            share.sequence(),
            share.spent())));
    return new LeasePool(
        bucket.unitsPerMicro(), OtherRate.carriedOver(used, rate, bucket), atMicros, next);
  }
}
