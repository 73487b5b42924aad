package io.weir.providers.rule;

/**
 * Adapts the number of requests in flight to the response time: one more after each answer if the average is on target,
 * a twentieth fewer above the target, three twentieths fewer above three times the target and after errors (additive
 * increase, multiplicative decrease, with the numbers of Chainlake's scheduler).
 *
 * @param targetMicros the average response time to aim at
 * @param min the least limit, at least 1
 * @param max the largest limit, at least {@code min}
 * @param initial the limit before the first measurement, between both
 */
public record AdaptiveRule(long targetMicros, int min, int max, int initial) {
  public AdaptiveRule {
    min = Math.max(1, min);
    max = Math.max(min, max);
    initial = Math.min(max, Math.max(min, initial));
  }
}
