package io.weir.inmemory;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.LeakyBucket;
import io.weir.core.lease.Lease;
import io.weir.core.lease.LeaseReport;
import io.weir.inmemory.Earmarks.Earmark;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The shared side of leases: a bucket of which parts are leased. A leased part holds capacity and does not drain until
 * its holder reports it as spent, gives it back, or its lease expires; then it counts as spent at that instant. So the
 * counted level is never below the level that callers caused, and no grant exceeds the capacity. A holder that asked in
 * vain has a share of 0 units, to be counted among those that wait, and units are saved for it. {@code lua/lease.lua} has
 * the same. Immutable.
 *
 * <p>Leases that expire by time are those of Gray and Cheriton (Leases: An Efficient Fault-Tolerant Mechanism for
 * Distributed File Cache Consistency, 1989); the holder stops before the grantor gives the share to others.
 *
 * @param rate of the bucket, in units a microsecond
 * @param used units that drain
 * @param atMicros the instant of that level
 * @param shares the leased parts, by holder
 * @param earmarks the units that are saved
 */
public record LeasePool(
    long rate, long used, long atMicros, Map<String, HolderLease> shares, Earmarks earmarks) {

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
  public record HolderLease(long out, long untilMicros, long sequence, long spent) {}

  /**
   * The answer to a report.
   *
   * @param pool the pool afterwards
   * @param granted units, added to those that the holder kept; -1 if the report came after a later one
   * @param waitMicros if less than the least or the earmark was granted, the time until there may be as many
   * @param holders how many have units, asked in vain within the length of a lease, or have an earmark, this one
   *     included
   * @param before how many of these are before this one, by their names
   */
  public record Granted(LeasePool pool, long granted, long waitMicros, int holders, int before) {}

  /** An unused bucket. */
  public static LeasePool empty(Bucket bucket) {
    return new LeasePool(bucket.unitsPerMicro(), 0, 0, Map.of(), Earmarks.NONE);
  }

  /** All leased units. */
  public long out() {
    return shares.values().stream().mapToLong(HolderLease::out).sum();
  }

  /**
   * Takes a report and grants free units, for {@code leaseMicros} from now on.
   *
   * @param bucket its shape by the policy of the holder
   */
  public Granted exchange(Bucket bucket, LeaseReport report, long leaseMicros, long clockMicros) {
    LeasePool now = rebased(clockMicros).settled(clockMicros).reshaped(bucket);
    HolderLease known = now.shares.get(report.holder());
    Earmarks.View view = Earmarks.View.of(now, report.holder());
    if (known != null && report.sequence() <= known.sequence()) {
      return new Granted(this, -1, 0, view.sharers(), view.before());
    }
    long before = known == null ? report.acknowledged() : known.spent();
    long capacity = bucket.capacityUnits();
    long spent = Math.floorMod(report.spent() - before, LeaseReport.MODULUS);
    long level = spent > capacity - now.used ? capacity : now.used + spent;
    long others = now.out() - (known == null ? 0 : known.out());
    Optional<Earmark> claimed = now.earmarks.claimed(report.holder(), report.least());
    long promised = now.earmarks.promised(view, claimed);
    long free = Math.max(0, capacity - level - others - report.keeps() - promised);
    long most = Math.min(report.wants(), free);
    long granted = most < report.least() ? 0 : most;
    long asked = Math.max(report.least(), report.earmark());
    long wait = granted >= asked || report.wants() == 0
        ? 0
        : Lease.waitMicros(asked - (free - granted), others, now.rate, leaseMicros);
    Earmarks left =
        claimed.isPresent() && granted > 0 ? now.earmarks.without(report.holder()) : now.earmarks;
    Earmarks.Made made = granted < report.earmark()
        ? left.with(view, report.earmark(), wait, leaseMicros)
        : new Earmarks.Made(left, wait);
    return new Granted(
        new LeasePool(
            now.rate,
            level,
            now.atMicros,
            now.sharesAfter(report, granted, view, leaseMicros),
            made.earmarks()),
        granted,
        made.waitMicros(),
        view.sharers(),
        view.before());
  }

  private Map<String, HolderLease> sharesAfter(
      LeaseReport report, long granted, Earmarks.View view, long leaseMicros) {
    Map<String, HolderLease> next = new TreeMap<>(shares);
    next.remove(report.holder());
    long out = report.keeps() + granted;
    boolean isInVain = report.wants() > 0 || report.earmark() > 0;
    if (out > 0 || (isInVain && view.sharers() <= MOST_IN_VAIN)) {
      next.put(
          report.holder(),
          new HolderLease(out, atMicros + leaseMicros, report.sequence(), report.spent()));
    }
    return next;
  }

  // The clock was set back: all instants are counted from its present time, so that the pool does
  // not stand still until the clock has caught up. Nothing drains and no lease ends sooner because
  // of that.
  private LeasePool rebased(long clockMicros) {
    long ahead = atMicros - clockMicros;
    if (ahead <= 0) {
      return this;
    }
    Map<String, HolderLease> moved = new TreeMap<>();
    shares.forEach((holder, share) -> moved.put(
        holder,
        new HolderLease(
            share.out(), share.untilMicros() - ahead, share.sequence(), share.spent())));
    return new LeasePool(rate, used, clockMicros, moved, earmarks.moved(ahead));
  }

  // Expired leases count as spent at the instant when they ended.
  private LeasePool settled(long now) {
    long level = used;
    long at = atMicros;
    Map<String, HolderLease> left = new TreeMap<>(shares);
    List<Map.Entry<String, HolderLease>> over = shares.entrySet().stream()
        .filter(entry -> entry.getValue().untilMicros() <= now)
        .sorted(Comparator.comparingLong(entry -> entry.getValue().untilMicros()))
        .toList();
    for (Map.Entry<String, HolderLease> entry : over) {
      long ended = Math.max(at, entry.getValue().untilMicros());
      level = LeakyBucket.drained(level, rate, ended - at) + entry.getValue().out();
      at = ended;
      left.remove(entry.getKey());
    }
    return new LeasePool(
        rate, LeakyBucket.drained(level, rate, now - at), now, left, earmarks.settled(now));
  }

  // A change of policy keeps the time to drain; leased units are rounded up, and nothing is saved.
  private LeasePool reshaped(Bucket bucket) {
    if (rate == bucket.unitsPerMicro()) {
      return this;
    }
    Map<String, HolderLease> next = new TreeMap<>();
    shares.forEach((holder, share) -> next.put(
        holder,
        new HolderLease(
            share.out() == 0
                ? 0
                : Math.min(
                    bucket.capacityUnits(), OtherRate.carriedOver(share.out(), rate, bucket) + 1),
            share.untilMicros(),
            share.sequence(),
            share.spent())));
    return new LeasePool(
        bucket.unitsPerMicro(),
        OtherRate.carriedOver(used, rate, bucket),
        atMicros,
        next,
        Earmarks.NONE);
  }
}
