package io.weir.model;

import io.weir.core.bucket.Rate;
import io.weir.core.bucket.Scope;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A place in a queue.
 *
 * @param id of the ticket; {@link #ANYBODY} if any caller of the subject may use it, {@link #NOBODY} for an idle
 *     interval
 * @param slotMicros the time from which on its caller may come
 * @param deadlineMicros the time until which its caller is in time
 * @param untilMicros how long its buckets can hold the place, for any lateness
 * @param shares the units that it takes from each bucket of its subject and tenant
 */
public record Place(
    String id, long slotMicros, long deadlineMicros, long untilMicros, List<Share> shares) {

  /** The id of a place without a ticket. */
  public static final String ANYBODY = "-";

  /** The id of an idle interval before a delayed slot: its capacity is for newcomers. */
  public static final String NOBODY = "~";

  /** The earliest deadline first; the order of the texts in Redis. */
  public static final Comparator<Place> BY_DEADLINE = Comparator.comparingLong(
          Place::deadlineMicros)
      .thenComparing(Place::id)
      .thenComparingLong(Place::slotMicros)
      .thenComparingLong(Place::untilMicros)
      .thenComparing(a -> a.shares.toString());

  public Place {
    shares = List.copyOf(shares);
  }

  /** The ticket that the caller shows on return. */
  public Optional<String> ticket() {
    return isForAnybody() || isForNobody()
        ? Optional.empty()
        : Optional.of("%016d.%s".formatted(deadlineMicros, id));
  }

  public boolean isForAnybody() {
    return id.equals(ANYBODY);
  }

  public boolean isForNobody() {
    return id.equals(NOBODY);
  }

  /** The demands of the request it was made for: its shares, held or not. */
  public List<Share> kind() {
    return shares.stream().map(Share::unheld).toList();
  }

  /** Whether it was made for a request with exactly these demands. */
  public boolean isFor(List<Share> other) {
    return shares.size() == other.size()
        && IntStream.range(0, shares.size()).allMatch(i -> shares.get(i).isSame(other.get(i)));
  }

  /** Whether it holds capacity in a bucket of this scope. */
  public boolean holdsIn(Scope scope) {
    return shares.stream().anyMatch(share -> share.held() && share.scope() == scope);
  }

  /**
   * The units that it takes from one bucket.
   *
   * @param held whether the bucket holds it; if not, it needs free room when its caller comes
   */
  public record Share(Scope scope, String bucket, Rate rate, long units, boolean held) {
    private Share unheld() {
      return held ? new Share(scope, bucket, rate, units, false) : this;
    }

    boolean isSame(Share other) {
      return scope == other.scope
          && bucket.equals(other.bucket)
          && rate.equals(other.rate)
          && units == other.units;
    }
  }
}
