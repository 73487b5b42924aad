package io.weir.state.denial;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

/** When Redis was asked, and when its answer arrived: it decided in between. */
record RoundTrip(long askedNanos, long answeredNanos) {
  boolean isOver(long nowNanos) {
    return nowNanos - answeredNanos > DenialCache.MAX_AGE_NANOS;
  }

  /** The longest time since Redis decided. */
  long mostMicros(long nowNanos) {
    return NANOSECONDS.toMicros(nowNanos - askedNanos);
  }

  /** The shortest time since Redis decided. */
  long leastMicros(long nowNanos) {
    return NANOSECONDS.toMicros(nowNanos - answeredNanos);
  }
}
