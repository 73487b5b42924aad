package io.weir.inmemory;

import io.weir.core.bucket.LeakyBucket;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Units of a bucket with leases that are saved for holders that asked in vain, so that small grants to others do not
 * starve a large cost. {@code lua/lib/state/earmarks.lua} has the same. Immutable.
 *
 * @param byHolder the units of each
 */
public record Earmarks(Map<String, Earmark> byHolder) {
  /** Nothing is saved. */
  public static final Earmarks NONE = new Earmarks(Map.of());

  private static final int MOST = 64;
  // A node forgets a bucket 30 s after its last denial.
  private static final long MOST_WAIT_MICROS = 28_000_000;
  private static final long GRACE_MICROS = 1_000_000;
  private static final long MOST_UNITS = 1L << 53;

  public Earmarks {
    byHolder = Map.copyOf(byHolder);
  }

  /**
   * Units that are saved for one holder from an instant on, by an equal part of the rate.
   *
   * @param untilMicros when it ends: its holder has not asked again
   */
  public record Earmark(long units, long sinceMicros, long untilMicros) {
    long saved(View view) {
      return units
          - LeakyBucket.drained(units, view.rate(), (view.now() - sinceMicros) / view.sharers());
    }

    Earmark moved(long ahead) {
      return new Earmark(units, sinceMicros - ahead, untilMicros - ahead);
    }
  }

  /**
   * A report of a holder, as far as it concerns earmarks.
   *
   * @param others the names of all others that have units or wait
   * @param rate of the bucket, in units a microsecond
   */
  record View(String holder, Set<String> others, long rate, long now) {

    static View of(LeasePool pool, String holder) {
      Set<String> others = new HashSet<>(pool.shares().keySet());
      others.addAll(pool.earmarks().byHolder().keySet());
      others.remove(holder);
      return new View(holder, others, pool.rate(), pool.atMicros());
    }

    /** How many have units or wait, this one included. */
    int sharers() {
      return others.size() + 1;
    }

    /** How many others are before the holder in the order of the names. */
    int before() {
      return (int) others.stream().filter(of -> of.compareTo(holder) < 0).count();
    }
  }

  /** An earmark, and the time until its holder has the units. */
  record Made(Earmarks earmarks, long waitMicros) {}

  Earmarks moved(long ahead) {
    Map<String, Earmark> moved = new TreeMap<>();
    byHolder.forEach((of, earmark) -> moved.put(of, earmark.moved(ahead)));
    return new Earmarks(moved);
  }

  Earmarks settled(long now) {
    Map<String, Earmark> left = new TreeMap<>(byHolder);
    left.values().removeIf(earmark -> earmark.untilMicros() <= now);
    return new Earmarks(left);
  }

  Earmarks without(String holder) {
    Map<String, Earmark> left = new TreeMap<>(byHolder);
    left.remove(holder);
    return new Earmarks(left);
  }

  /** A holder claims its own with a cost that is as large; for smaller ones it is as another's. */
  Optional<Earmark> claimed(String holder, long least) {
    return Optional.ofNullable(byHolder.get(holder)).filter(own -> least >= own.units());
  }

  /** The units saved for others; for one that claims its own, only for those that asked before it. */
  long promised(View view, Optional<Earmark> claimed) {
    long sum = 0;
    for (Map.Entry<String, Earmark> each : byHolder.entrySet()) {
      boolean isOwn = claimed.isPresent() && each.getKey().equals(view.holder());
      boolean isBefore = claimed.isEmpty() || isBefore(each, view.holder(), claimed.get());
      if (!isOwn && isBefore) {
        sum = Math.min(MOST_UNITS, sum + each.getValue().saved(view));
      }
    }
    return sum;
  }

  private static boolean isBefore(Map.Entry<String, Earmark> other, String holder, Earmark own) {
    long since = other.getValue().sinceMicros();
    return since < own.sinceMicros()
        || (since == own.sinceMicros() && other.getKey().compareTo(holder) < 0);
  }

  /**
   * Saves units for a holder that will ask again, unless it has an earmark of more units or would have to wait too long.
   * Others that ask for as much take turns.
   *
   * @param waitMicros the time until there may be as many if all that drains is for it
   */
  Made with(View view, long units, long waitMicros, long leaseMicros) {
    Earmark own = byHolder.get(view.holder());
    if (own != null && units < own.units()) {
      return new Made(this, waitMicros);
    }
    long since = own == null ? view.now() : own.sinceMicros();
    long savesMicros = LeakyBucket.ceilDiv(units, view.rate()) * view.sharers();
    long wait = isContended(view, units)
        ? Math.max(waitMicros, since + savesMicros - view.now())
        : waitMicros;
    Map<String, Earmark> next = new TreeMap<>(byHolder);
    next.remove(view.holder());
    boolean isMade = next.size() < MOST && wait <= MOST_WAIT_MICROS;
    if (isMade) {
      long until = view.now() + wait + Math.min(wait, GRACE_MICROS) + leaseMicros;
      next.put(view.holder(), new Earmark(units, since, until));
    }
    return new Made(new Earmarks(next), isMade ? wait : waitMicros);
  }

  // Whether somebody asks for less: what drains may be taken before so many units are free.
  private boolean isContended(View view, long units) {
    return view.others().stream().anyMatch(of -> {
      Earmark other = byHolder.get(of);
      return other == null || other.units() < units;
    });
  }
}
