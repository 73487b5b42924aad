package io.weir.state.redis;

/** The contract, on Redis 8. */
final class ContainerRedis8IT extends ContainerContract {
  ContainerRedis8IT() {
    super("redis:8");
  }
}
