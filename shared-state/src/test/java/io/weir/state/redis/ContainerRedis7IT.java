package io.weir.state.redis;

/** The contract, on Redis 7. */
final class ContainerRedis7IT extends ContainerContract {
  ContainerRedis7IT() {
    super("redis:7");
  }
}
