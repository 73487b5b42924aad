package io.weir.core.kind;

import io.weir.core.bucket.Scope;

/**
 * A limit on operations in a period. {@code lua/lib/kinds/quota.lua} counts them.
 *
 * <p>A sliding window is the counter of two windows (Cloudflare, "How we built rate limiting capable of scaling to
 * millions of domains", 2017), in thousandths: the usage of the previous period counts by the share that is still
 * covered.
 *
 * @param limit operations in a period, 1 to {@link #MAX_LIMIT}
 * @param isSoft whether it only warns
 * @param nearPercent the share of the limit from which on callers are warned, 1 to 100
 * @param countsRequests whether each request counts as one, whatever its cost
 * @param overflow whether it is used only if the quota before it is full
 */
public record Quota(
    String name,
    Scope scope,
    long limit,
    Periods window,
    boolean isSoft,
    int nearPercent,
    boolean countsRequests,
    boolean overflow)
    implements KindDemand {

  /** The largest limit; a script still counts a thousand times as much exactly. */
  public static final long MAX_LIMIT = 9_000_000_000_000L;

  /** The most operations that are counted for one request. */
  private static final long MOST_COUNTED = 9_007_000_000_000_000L;

  public Quota {
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new IllegalArgumentException(
          "limit: %d (expected: 1 to %d)".formatted(limit, MAX_LIMIT));
    }
  }

  @Override
  public Kind kind() {
    return Kind.QUOTA;
  }

  @Override
  public char letter() {
    return 'q';
  }

  @Override
  public long quota() {
    return limit;
  }

  @Override
  public long windowMillis() {
    return window.millis();
  }

  @Override
  public long counted(long cost) {
    return countsRequests ? 1 : Math.min(cost, MOST_COUNTED);
  }

  @Override
  public Quota withLimit(long total) {
    return new Quota(name, scope, total, window, isSoft, nearPercent, countsRequests, overflow);
  }

  /** The same quota, used only if the quota before it is full. */
  public Quota asOverflow() {
    return new Quota(name, scope, limit, window, isSoft, nearPercent, countsRequests, true);
  }

  @Override
  public String words(long nowMicros) {
    return "%d %d %d %d %s"
        .formatted(
            limit, isSoft ? 1 : 0, nearPercent, countsRequests ? 1 : 0, window.words(nowMicros));
  }

  @Override
  public long wordsHoldUntil(long nowMicros) {
    return window.wordsHoldUntil(nowMicros);
  }
}
