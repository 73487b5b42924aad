package io.weir.inmemory;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.slot.SlotLimits;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The state of one key, tenant or cluster: the buckets that are not empty, their calendars, and what it keeps while it
 * waits. Mutable; the memory owns it, a charge works on a copy.
 */
final class State {
  private long at;
  private long revision;
  private final Map<String, BucketState> buckets = new HashMap<>();
  private final Map<String, Calendar> calendars = new HashMap<>();
  private final Map<String, Line> lines = new HashMap<>();
  private @Nullable Waiter waiter;

  State(long revision) {
    this.revision = revision;
  }

  /** A copy as it is then: bins that are over are forgotten, as is everything that says nothing any more. */
  State at(long micros) {
    State copy = new State(revision);
    copy.at = at;
    copy.buckets.putAll(buckets);
    calendars.forEach((name, calendar) -> copy.calendars.put(name, calendar.copy()));
    lines.forEach((name, line) -> copy.lines.put(name, line.copy()));
    copy.waiter = waiter == null ? null : waiter.copy();
    copy.forget(micros);
    return copy;
  }

  private void forget(long micros) {
    calendars.values().removeIf(calendar -> calendar.isFarAhead(micros));
    calendars.values().forEach(calendar -> calendar.advance(micros));
    lines.values().forEach(line -> line.dropAhead(micros));
    calendars.values().removeIf(calendar -> calendar.isOver(micros));
    lines.values().removeIf(line -> line.isOver(micros));
    waiter = waiter == null || waiter.isOver(micros) ? null : waiter;
  }

  long atMicros() {
    return at;
  }

  long revision() {
    return revision;
  }

  /** Moves the levels to an instant; those that are ahead of it stay as they are. */
  void moveTo(long micros) {
    buckets.replaceAll((name, bucket) -> bucket.rebased(micros).at(micros));
    buckets.values().removeIf(BucketState::isForgettable);
    at = micros;
  }

  /** A bucket at the present, converted to the rate and burst of a policy. */
  BucketState bucket(Bucket bucket, long nowMicros) {
    @Nullable BucketState before = buckets.get(bucket.name());
    return before == null
        ? BucketState.empty(nowMicros, bucket)
        : before.rebased(nowMicros).at(nowMicros).carriedTo(bucket);
  }

  /** Whether the usage of the bucket was counted by another rate or burst. */
  boolean carries(Bucket bucket, long nowMicros) {
    @Nullable BucketState before = buckets.get(bucket.name());
    if (before == null) {
      return false;
    }
    long used = before.rebased(nowMicros).at(nowMicros).usedUnits();
    return used > bucket.capacityUnits() + before.debtUnits()
        || (used > 0 && !before.rate().equals(bucket.rate()));
  }

  Optional<BucketState> bucket(String name) {
    return Optional.ofNullable(buckets.get(name));
  }

  @Nullable
  Calendar calendar(Bucket bucket) {
    @Nullable Calendar calendar = calendars.get(bucket.name());
    return calendar != null && calendar.isOf(bucket) ? calendar : null;
  }

  Line line(Demand demand) {
    return lines.computeIfAbsent(
        field(demand.bucket()), name -> new Line(Pace.of(demand.bucket().rate()).sharedMicros()));
  }

  private static String field(Bucket bucket) {
    return bucket.name() + "@" + bucket.rate();
  }

  Optional<Waiter> waiter() {
    return Optional.ofNullable(waiter);
  }

  Waiter makeWaiter() {
    Waiter made = waiter == null ? new Waiter() : waiter;
    waiter = made;
    return made;
  }

  void put(String name, BucketState bucket) {
    buckets.put(name, bucket);
  }

  /** Takes a bucket and its calendar as a charge of this revision left them. */
  void put(BucketView view, long ofRevision) {
    String name = view.bucket().name();
    buckets.put(name, view.state());
    calendars.remove(name);
    view.maybeCalendar().ifPresent(calendar -> calendars.put(name, calendar));
    revision = ofRevision;
  }

  /** Whether nothing of it matters any more. */
  boolean isEmpty(long micros) {
    State later = at(micros);
    later.moveTo(Math.max(micros, at));
    return later.buckets.isEmpty()
        && later.calendars.isEmpty()
        && later.lines.isEmpty()
        && later.waiter == null
        && micros >= at + SlotLimits.SECOND_US;
  }
}
