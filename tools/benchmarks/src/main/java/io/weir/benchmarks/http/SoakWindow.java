package io.weir.benchmarks.http;

/**
 * The results of a part of a soak test.
 *
 * @param perSecond requests a second
 * @param p50Micros median time to the answer
 * @param p99Micros time within which 99 % were answered
 * @param nodeBytes memory of the node's process, according to the system
 * @param redisBytes memory of Redis
 * @param redisKeys keys in Redis
 * @param unlike answers other than 200
 */
public record SoakWindow(
    double perSecond,
    double p50Micros,
    double p99Micros,
    long nodeBytes,
    long redisBytes,
    long redisKeys,
    long unlike) {
  @Override
  public String toString() {
    return "soak: %,.0f per s, p50 %,.0f us, p99 %,.0f us, node %,d kB, Redis %,d kB, %,d keys, %d unlike"
        .formatted(
            perSecond, p50Micros, p99Micros, nodeBytes >> 10, redisBytes >> 10, redisKeys, unlike);
  }
}
