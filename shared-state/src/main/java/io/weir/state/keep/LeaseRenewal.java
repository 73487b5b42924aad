package io.weir.state.keep;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * The leases that this node has: each is renewed after a third of its time, until it is dropped. While the shared state
 * is away, each third is tried once, and after three of them the lease ends there. Leases that are due soon are renewed
 * together with one that is due. Memory: one entry for each lease, whose number the caller bounds. Safe for use by many
 * threads; {@link #renewDue} is called by one.
 *
 * @param <T> identifies a lease
 */
public final class LeaseRenewal<T> {
  private final LeaseTerms terms;
  private final LeaseTime time;
  private final Renewal<T> renewal;
  private final Map<T, Due> kept = new ConcurrentHashMap<>();
  private final AtomicLong nextNanos = new AtomicLong(Long.MAX_VALUE);

  public LeaseRenewal(LeaseTerms terms, LeaseTime time, Renewal<T> renewal) {
    this.terms = terms;
    this.time = time;
    this.renewal = renewal;
  }

  /**
   * How leases are renewed.
   *
   * @param leaseMicros the length of a lease; read at its beginning and at each renewal
   * @param renew renews a group; for each lease whether it is still held
   * @param lost called after each renewal that found a lease lost; it is kept until it is dropped
   */
  public record Renewal<T>(
      ToLongFunction<T> leaseMicros,
      Function<List<T>, CompletionStage<List<Boolean>>> renew,
      Consumer<T> lost) {}

  private record Due(long atNanos, long thirdNanos) {
    boolean isSoon(long nowNanos) {
      return nowNanos >= atNanos - thirdNanos / 2;
    }
  }

  /** Renews a lease, which begins now, until it is dropped. */
  public void keep(T lease) {
    kept.put(lease, due(lease, time.nanoTime()));
  }

  /** Renews a lease no more; false if it was not kept. */
  public boolean drop(T lease) {
    return kept.remove(lease) != null;
  }

  public boolean isEmpty() {
    return kept.isEmpty();
  }

  public int size() {
    return kept.size();
  }

  /** All leases that are kept now, for instance to give them back when the node stops. */
  public List<T> all() {
    return List.copyOf(kept.keySet());
  }

  /** Renews the leases that are due, in groups. */
  public void renewDue() {
    long now = time.nanoTime();
    if (now < nextNanos.get()) {
      return;
    }
    List<T> due = begin(now);
    for (int from = 0; from < due.size(); from += terms.renewedAtOnce()) {
      renew(due.subList(from, Math.min(due.size(), from + terms.renewedAtOnce())));
    }
  }

  // The leases to renew now, the earliest first. They count as renewed even if no answer comes.
  private List<T> begin(long now) {
    nextNanos.set(Long.MAX_VALUE);
    List<Map.Entry<T, Due>> soon = new ArrayList<>();
    boolean isDue = false;
    for (Map.Entry<T, Due> entry : kept.entrySet()) {
      isDue |= now >= entry.getValue().atNanos();
      if (entry.getValue().isSoon(now)) {
        soon.add(entry);
      } else {
        wakeAt(entry.getValue());
      }
    }
    if (!isDue) {
      soon.forEach(entry -> wakeAt(entry.getValue()));
      return List.of();
    }
    soon.sort(Comparator.comparingLong(entry -> entry.getValue().atNanos()));
    soon.forEach(entry -> kept.replace(entry.getKey(), entry.getValue(), due(entry.getKey(), now)));
    return soon.stream().map(Map.Entry::getKey).toList();
  }

  private Due due(T lease, long now) {
    long third = TimeUnit.MICROSECONDS.toNanos(renewal.leaseMicros().applyAsLong(lease))
        / LeaseTerms.RENEWALS_PER_LEASE;
    Due due = new Due(now + third, third);
    wakeAt(due);
    return due;
  }

  private void wakeAt(Due due) {
    nextNanos.accumulateAndGet(due.atNanos(), Math::min);
  }

  private void renew(List<T> group) {
    CompletionStage<Void> unused = renewal.renew().apply(group).thenAccept(held -> {
      for (int i = 0; i < group.size(); i++) {
        if (!held.get(i)) {
          renewal.lost().accept(group.get(i));
        }
      }
    });
  }
}
