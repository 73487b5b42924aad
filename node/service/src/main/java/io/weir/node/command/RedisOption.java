package io.weir.node.command;

import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option of a command that reads the shared state. */
final class RedisOption {
  private static final String DEFAULT_URI = "redis://127.0.0.1:6379";

  @Option(
      names = "--redis-uri",
      paramLabel = "URI",
      defaultValue = "${env:WEIR_REDIS_URI}",
      description = "Redis (WEIR_REDIS_URI, else that of the running local cluster, else "
          + DEFAULT_URI + ")")
  private @Nullable String redisUri;
  /**
   * The URI of the shared state.
   *
   * @param localRedis the URI of a cluster that runs on this machine
   */
  String uri(Supplier<Optional<String>> localRedis) {
    return redisUri == null || redisUri.isBlank() ? localRedis.get().orElse(DEFAULT_URI) : redisUri;
  }
}
