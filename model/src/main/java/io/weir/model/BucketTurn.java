package io.weir.model;

import static io.weir.bucket.LeakyBucket.ceilDiv;

import io.weir.bucket.Bucket;
import io.weir.bucket.Scope;
import io.weir.model.Place.Share;
import io.weir.slot.SlotLimits;
import io.weir.slot.SlotRules;
import java.util.Optional;

/**
 * One bucket as one request finds it: when it is the request's turn there, and what becomes of the bucket. Immutable.
 * {@code lua/lib/slot_of.lua} and {@code booking.lua} have the same functions of one {@code demand}.
 *
 * @param state at the present instant, carried over to the bucket
 * @param units what the request takes from it
 * @param isHeld whether the request has a place here: room for it is kept
 * @param estimateMicros the last moment that was told without a place; 0 where none was
 */
public record BucketTurn(
    Bucket bucket, BucketState state, long units, boolean isHeld, long estimateMicros) {

  /**
   * One bucket of a place that was just made.
   *
   * @param standsMicros when the place stands in this bucket
   * @param idle the share of the idle interval before a delayed slot
   */
  record Booked(BucketTurn turn, long standsMicros, Optional<Idle> idle) {}

  /** An idle interval before a delayed slot: nobody waits there, and newcomers may have its capacity. */
  record Idle(Share share, long endsMicros) {}

  /** Whether places are made in it; in buckets of all tenants they are not. */
  boolean isOwn() {
    return bucket.scope() != Scope.CLUSTER;
  }

  /** The holder of a place needs room for it; a newcomer needs an empty queue, unclaimed capacity, or its turn. */
  public boolean isReady() {
    return isHeld ? state.fits(bucket, units) : state.isReady(bucket, units);
  }

  /** When a newcomer is next, behind all who wait. */
  long turnMicros() {
    return state.turnMicros(bucket, units);
  }

  /** When it will be ready. */
  public long readyMicros() {
    return isHeld ? state.roomMicros(bucket, units) : turnMicros();
  }

  /** How long after its turn the bucket can hold a place; -1 where that is too short to be of use. */
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
   * @param slot when the last bucket of the request is ready
   * @param comes when the caller is here, which may wait for a whole second
   */
  boolean canHold(long slot, long comes, SlotRules rules) {
    long mostPutOff = Math.min(SlotLimits.MAX_PUT_OFF_US, freeMicros());
    return holdsMicros(rules) >= 0
        && (turnMicros() != slot || standsMicros(comes, rules) - slot <= mostPutOff);
  }

  /** Takes a place. Not held where the bucket would drop it before its caller comes: it has room then anyhow. */
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

  /** Holds a place that only other buckets held so far, where it can and has no room at once. */
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

  /** Gives up the place that is held; its capacity is for newcomers. */
  BucketTurn released() {
    return isHeld ? with(state.released(units), false) : this;
  }

  BucketTurn held(boolean isNowHeld) {
    return with(state, isNowHeld);
  }

  /** Moves the estimate on, so that no two callers get the same time; behind a queue with room for late callers. */
  BucketTurn estimated(long now, SlotRules rules) {
    long late = Math.min(rules.latenessMicros(), freeMicros() / 2);
    long first = turnMicros() + (state.waiting() == 0 ? 0 : late);
    long next = estimateMicros <= now ? first : Math.max(first, estimateMicros + needMicros());
    long told = next - now > furthestMicros(rules) ? first : next;
    return new BucketTurn(bucket, state, units, isHeld, told);
  }

  /** What a place takes from it. */
  Share share() {
    return share(units, isHeld);
  }

  private Share share(long of, boolean isShareHeld) {
    return new Share(bucket.scope(), bucket.name(), bucket.rate(), of, isShareHeld);
  }

  // The turn, or a little later where the place could not be held until its caller comes: a burst
  // of one second alone does not bear that callers come at whole seconds.
  private long standsMicros(long comes, SlotRules rules) {
    long tolerance = rules.toleranceMicros();
    long heldFor = Math.max(holdsMicros(rules), tolerance + SlotLimits.ON_ITS_WAY_US);
    return Math.max(turnMicros(), comes + tolerance - heldFor);
  }

  // How much later the next one stands, where the bucket alone cannot bear that this one is late.
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
