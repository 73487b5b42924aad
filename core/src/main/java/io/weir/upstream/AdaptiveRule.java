package io.weir.upstream;

/**
 * How many requests are under way, by how long answers take: more by one after each that is in time on average, a
 * twentieth fewer above the target, three twentieths fewer above three times the target and after errors (additive increase,
 * multiplicative decrease, with the numbers of Chainlake's scheduler).
 *
 * @param targetMicros how long an answer should take on average
 * @param min as many always, at least 1
 * @param max not more, at least {@code min}
 * @param initial before anything is known, between both
 */
public record AdaptiveRule(long targetMicros, int min, int max, int initial) {
  public AdaptiveRule {
    min = Math.max(1, min);
    max = Math.max(min, max);
    initial = Math.min(max, Math.max(min, initial));
  }
}
