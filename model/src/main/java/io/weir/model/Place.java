package io.weir.model;

import io.weir.bucket.Rate;
import io.weir.bucket.Scope;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A place in a queue.
 *
 * @param id of the ticket; {@link #ANYBODY} where any caller of the subject may use it, {@link #NOBODY}
 *     for an idle interval
 * @param slotMicros when its caller may come
 * @param deadlineMicros until when it is in time
 * @param untilMicros how long its buckets can hold the place, however late the caller may be
 * @param shares what it takes from each bucket of its subject and tenant
 */
public record Place(
    String id, long slotMicros, long deadlineMicros, long untilMicros, List<Share> shares) {

  /** Instead of an id, where there is no ticket. */
  public static final String ANYBODY = "-";

  /** Instead of an id, of the idle interval before a delayed slot: its capacity is for newcomers. */
  public static final String NOBODY = "~";

  /** First those whose deadline is next; the order of the texts in Redis. */
  public static final Comparator<Place> BY_DEADLINE = Comparator.comparingLong(
          Place::deadlineMicros)
      .thenComparing(Place::id)
      .thenComparingLong(Place::slotMicros)
      .thenComparingLong(Place::untilMicros)
      .thenComparing(a -> a.shares.toString());

  public Place {
    shares = List.copyOf(shares);
  }

  /** What the caller shows when it comes back. */
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

  /** What it is for: its shares, whatever is held. */
  public List<Share> kind() {
    return shares.stream().map(Share::unheld).toList();
  }

  /** Whether it was made for a request that takes just this. */
  public boolean isFor(List<Share> other) {
    return shares.size() == other.size()
        && IntStream.range(0, shares.size()).allMatch(i -> shares.get(i).isSame(other.get(i)));
  }

  /** Whether it holds capacity in a bucket of this scope. */
  public boolean holdsIn(Scope scope) {
    return shares.stream().anyMatch(share -> share.held() && share.scope() == scope);
  }

  /**
   * What it takes from one bucket.
   *
   * @param held whether the bucket knows of it; where not, it takes what room there is then
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
