package io.weir.core.kind;

import io.weir.core.bucket.Scope;

/**
 * A limit on concurrent requests. Each request holds one permit, an entry of its own that expires; {@code
 * lua/lib/kinds/permit.lua} counts them. The wait of a denial is an estimate: the k-th caller in excess gets the time of the
 * k-th release to come, by the moving average of the time between releases.
 *
 * @param limit the most permits held at once, 1 to {@link #MAX_LIMIT}
 * @param leaseMicros how long a permit is held without a renewal
 */
public record Permits(String name, Scope scope, long limit, long leaseMicros)
    implements KindDemand {

  /** The largest limit. */
  public static final long MAX_LIMIT = 1_000_000;

  /** How long the entries and the average are kept after the last change. */
  public static final long KEPT_US = 3_600_000_000L;

  public Permits {
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new IllegalArgumentException(
          "limit: %d (expected: 1 to %d)".formatted(limit, MAX_LIMIT));
    }
  }

  @Override
  public Permits withLimit(long total) {
    return new Permits(name, scope, Math.min(MAX_LIMIT, total), leaseMicros);
  }

  @Override
  public Kind kind() {
    return Kind.PERMIT;
  }

  @Override
  public char letter() {
    return 'p';
  }

  @Override
  public long counted(long cost) {
    return 1;
  }

  @Override
  public long quota() {
    return limit;
  }

  @Override
  public String words(long nowMicros) {
    return "%d %d".formatted(limit, leaseMicros);
  }
}
