package io.weir.state.lane;

import io.weir.state.wire.Lane;
import java.util.concurrent.TimeUnit;

/**
 * The calls of a lane that are in flight, and whether another may follow them. A call of its own costs Redis some ten
 * times as much as a place in another's. So while Redis is behind, charges wait for the call in flight, as small segments
 * do in TCP (RFC 896), unless enough of them have gathered.
 *
 * <p>Redis is behind while calls take more than twice the shortest of the last ten to twenty seconds: what is far away
 * takes long, too, but always. Mutable; owned by one event loop.
 */
final class OpenCalls {
  private static final int ENOUGH = 32;
  private static final int BEHIND = 2;
  private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(10);
  /** A call counts as an eighth of the mean, as in RFC 6298. */
  private static final int SMOOTHED = 8;

  private final int most;
  private final int enough;
  private int open;
  private long mean;
  private long shortest = Long.MAX_VALUE;
  private long shortestBefore = Long.MAX_VALUE;
  private long began;

  OpenCalls(Lane lane) {
    this.most = lane.maxCalls();
    this.enough = Math.min(ENOUGH, lane.maxCharges());
  }

  /** Whether a call may be sent now for so many waiting charges. */
  boolean mayFollow(int waiting) {
    return open < most && (open == 0 || waiting >= enough || !isBehind());
  }

  void sent() {
    open++;
  }

  /** Records the end of a call that failed: its time says nothing about Redis. */
  void failed() {
    open--;
  }

  /** Records the end of a call that was answered. */
  void answered(long sentNanos, long nowNanos) {
    open--;
    long nanos = nowNanos - sentNanos;
    if (nowNanos - began > KEPT_NANOS) {
      shortestBefore = shortest;
      shortest = Long.MAX_VALUE;
      began = nowNanos;
    }
    shortest = Math.min(shortest, nanos);
    mean += (nanos - mean) / SMOOTHED;
  }

  boolean areNone() {
    return open == 0;
  }

  private boolean isBehind() {
    return mean / BEHIND > Math.min(shortest, shortestBefore);
  }
}
