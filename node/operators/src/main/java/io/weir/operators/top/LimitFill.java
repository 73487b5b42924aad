package io.weir.operators.top;

import io.weir.core.decision.Limit;
import io.weir.core.kind.Kind;
import java.util.concurrent.TimeUnit;

/** How full limits are. */
public final class LimitFill {
  private static final int WHOLE = 100;
  /** A limit without room for one more operation is full from here on. */
  private static final int NEARLY = 90;

  private LimitFill() {}

  /**
   * The used percentage, rounded down: of a bucket by what has to drain, since its operations may be of very different
   * size. It is 100 if a limit that is nearly full has no room for one more operation of the kind that was asked for.
   */
  public static int percent(Limit limit) {
    int percent = (int) Math.min(WHOLE, Math.max(0, WHOLE * used(limit)));
    return limit.remaining() == 0 && percent >= NEARLY ? WHOLE : percent;
  }

  private static double used(Limit limit) {
    if (limit.kind() == Kind.RATE && limit.windowMillis() > 0) {
      return (double) limit.resetMicros() / TimeUnit.MILLISECONDS.toMicros(limit.windowMillis());
    }
    return limit.quota() == 0 ? 1 : (double) (limit.quota() - limit.remaining()) / limit.quota();
  }
}
