package io.weir.model;

import static io.weir.core.bucket.LeakyBucket.ceilDiv;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Scope;
import io.weir.core.slot.SlotLimits;
import io.weir.core.slot.SlotRules;
import io.weir.model.Place.Share;
import java.util.Optional;

/**
 * One bucket as seen by one request: the time of the request's turn and the new state of the bucket. Immutable. {@code
 * lua/lib/queue/slot_of.lua} and {@code booking.lua} have the same functions of one {@code demand}.
 *
 * @param state at the present instant, carried over to the bucket
 * @param units the units that the request takes from it
 * @param isHeld whether the request has a place here, with room kept for it
 * @param estimateMicros the last moment given without a place; 0 for none
 */
public record BucketTurn(
    Bucket bucket, BucketState state, long units, boolean isHeld, long estimateMicros) {

  /**
   * One bucket of a new place.
   *
   * @param standsMicros the time of the place in this bucket
   * @param idle the share of the idle interval before a delayed slot
   */
  record Booked(BucketTurn turn, long standsMicros, Optional<Idle> idle) {}

  /** An idle interval before a delayed slot: no caller waits for it, and newcomers may use its capacity. */
  record Idle(Share share, long endsMicros) {}

  /** Whether it can have places; buckets of scope {@code cluster} cannot. */
  boolean isOwn() {
    return bucket.scope() != Scope.CLUSTER;
  }

  /** The holder of a place needs room for it; a newcomer needs an empty queue, unclaimed capacity, or its turn. */
  public boolean isReady() {
    return isHeld ? state.fits(bucket, units) : state.isReady(bucket, units);
  }

  /** The turn of a newcomer, after all waiting callers. */
  long turnMicros() {
    return state.turnMicros(bucket, units);
  }

  /** The time when it will be ready. */
  public long readyMicros() {
    return isHeld ? state.roomMicros(bucket, units) : turnMicros();
  }

  /** How long after its turn the bucket can hold a place; -1 if that is too short to be useful. */
  long holdsMicros(SlotRules rules) {
    long missing = rules.toleranceMicros() - freeMicros();
    if (missing <= 0) {
      return freeMicros();
    }
    return missing <= needMicros() / 4 ? freeMicros() + missing : -1;
  }

  /**
   * Whether the bucket can hold a place until its caller comes.
   *
   * @param slot the time when the last bucket of the request is ready
   * @param comes the arrival of the caller, which may wait for a whole second
   */
  boolean canHold(long slot, long comes, SlotRules rules) {
    long mostPutOff = Math.min(SlotLimits.MAX_PUT_OFF_US, freeMicros());
    return holdsMicros(rules) >= 0
        && (turnMicros() != slot || standsMicros(comes, rules) - slot <= mostPutOff);
  }

  /** Takes a place. It is not held if the bucket would drop it before its caller comes: then there is room anyway. */
  Booked book(long now, long slot, long comes, SlotRules rules) {
    boolean isClaim = state.fits(bucket, units) && state.hasUnclaimed(units);
    boolean decides = !isClaim && turnMicros() == slot;
    long stands = isClaim ? now : decides ? standsMicros(comes, rules) : turnMicros();
    Optional<Idle> idle = decides && stands > slot
        ? Optional.of(
            new Idle(share((stands - slot) * bucket.unitsPerMicro(), true), stands - needMicros()))
        : Optional.empty();
    boolean holds = decides || stands + holdsMicros(rules) >= comes + rules.toleranceMicros();
    BucketState before =
        idle.map(interval -> state.held(interval.endsMicros(), 0)).orElse(state);
    BucketState after = !holds
        ? before
        : isClaim ? before.heldUnclaimed(units) : before.held(stands, padMicros(rules));
    return new Booked(with(after, holds), stands, idle);
  }

  /** Holds a place that only other buckets held so far, if it can and has no room at once. */
  BucketTurn joined(long comes, SlotRules rules) {
    boolean joins = isOwn()
        && !isHeld
        && holdsMicros(rules) >= 0
        && !isReady()
        && turnMicros() + holdsMicros(rules) >= comes + rules.toleranceMicros();
    return joins ? with(state.held(turnMicros(), padMicros(rules)), true) : this;
  }

  /** Takes the cost, for which the bucket {@link #isReady}. */
  BucketTurn admitted() {
    return with(isHeld ? state.kept(units) : state.admitted(bucket, units), isHeld);
  }

  /** Gives up the held place; its capacity is for newcomers. */
  BucketTurn released() {
    return isHeld ? with(state.released(units), false) : this;
  }

  BucketTurn held(boolean isNowHeld) {
    return with(state, isNowHeld);
  }

  /** Moves the estimate on, so that no two callers get the same time; after a queue it leaves room for late callers. */
  BucketTurn estimated(long now, SlotRules rules) {
    long late = Math.min(rules.latenessMicros(), freeMicros() / 2);
    long first = turnMicros() + (state.waiting() == 0 ? 0 : late);
    long next = estimateMicros <= now ? first : Math.max(first, estimateMicros + needMicros());
    long told = next - now > furthestMicros(rules) ? first : next;
    return new BucketTurn(bucket, state, units, isHeld, told);
  }

  /** The share of a place in this bucket. */
  Share share() {
    return share(units, isHeld);
  }

  private Share share(long of, boolean isShareHeld) {
    return new Share(bucket.scope(), bucket.name(), bucket.rate(), of, isShareHeld);
  }

  // The turn, or slightly later if the place could not be held until its caller comes: a burst of
  // one second does not allow callers to come at whole seconds.
  private long standsMicros(long comes, SlotRules rules) {
    long tolerance = rules.toleranceMicros();
    long heldFor = Math.max(holdsMicros(rules), tolerance + SlotLimits.ON_ITS_WAY_US);
    return Math.max(turnMicros(), comes + tolerance - heldFor);
  }

  // The delay of the next place if the bucket alone cannot bear that this caller is late.
  private long padMicros(SlotRules rules) {
    return holdsMicros(rules) - freeMicros();
  }

  // Frequent requests of one tenant must not push the estimates of others far away.
  private long furthestMicros(SlotRules rules) {
    long furthest = 2 * rules.horizonMicros();
    return isOwn() ? furthest : Math.min(furthest, SlotLimits.SHARED_SPREAD_US);
  }

  private long freeMicros() {
    return bucket.burstMillis() * 1000 - needMicros();
  }

  private long needMicros() {
    return ceilDiv(units, bucket.unitsPerMicro());
  }

  private BucketTurn with(BucketState after, boolean isNowHeld) {
    return new BucketTurn(bucket, after, units, isNowHeld, estimateMicros);
  }
}
