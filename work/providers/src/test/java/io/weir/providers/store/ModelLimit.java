package io.weir.providers.store;

import io.weir.providers.rule.AdaptiveRule;
import io.weir.providers.rule.Bounds;

/** The limit of requests under way to an upstream. Mutable; owned by its {@link ModelUpstream}. */
final class ModelLimit {
  private static final long NONE = -1;

  private long adapted = NONE;
  private double averageMicros = NONE;

  /** The present limit; a rule without adaption ignores what was learned. */
  long of(Bounds bounds) {
    return bounds.adaptive().map(rule -> Math.min(bounds.most(), adapted(rule))).orElse((long)
        bounds.most());
  }

  private long adapted(AdaptiveRule rule) {
    return adapted == NONE ? rule.initial() : adapted;
  }

  /** @param sampleMicros the time of a good answer, -1 for an error */
  void learn(AdaptiveRule rule, long sampleMicros) {
    long limit = adapted(rule);
    if (sampleMicros > 0) {
      averageMicros = averageMicros == NONE
          ? sampleMicros
          : averageMicros + 0.2 * (sampleMicros - averageMicros);
    }
    if (sampleMicros < 0 || averageMicros > 3.0 * rule.targetMicros()) {
      limit = (long) Math.floor(limit * 0.85);
    } else if (averageMicros > rule.targetMicros()) {
      limit = Math.max(limit - 1, (long) Math.floor(limit * 0.95));
    } else {
      limit++;
    }
    adapted = Math.max(rule.min(), Math.min(rule.max(), limit));
  }

  /** Between two calls the average is kept in whole microseconds. */
  void endCall() {
    averageMicros = Math.floor(averageMicros);
  }
}
