package io.weir.state.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.testkit.RedisProcess;
import java.time.Duration;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** A program that starts refuses a Redis that cannot decide, with the reason. */
final class RedisCheckIT {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  @Test
  void aServerWithoutLuaIsRefused() {
    try (RedisProcess redis =
        RedisProcess.start("--rename-command", "EVAL", "", "--rename-command", "FUNCTION", "")) {
      assertThatThrownBy(() -> RedisConnections.open(redis.uri(), TIMEOUT))
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageStartingWith("Redis runs no Lua scripts: ")
          .hasMessageContaining("unknown command 'EVAL'")
          .extracting(error -> ((StoreUnavailableException) error).fault())
          .isEqualTo(StoreFault.MISCONFIGURED);
    }
  }

  @Test
  void aUserWithoutScriptsAndFunctionsIsRefused() {
    try (RedisProcess redis = RedisProcess.start()) {
      assertThatThrownBy(
              () -> RedisConnections.open(user(redis, "-eval -evalsha -fcall -function"), TIMEOUT))
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageStartingWith("Redis runs no Lua scripts: ")
          .hasMessageContaining("NOPERM");
    }
  }

  @Test
  void aUserWithFunctionsNeedsNoScripts() {
    try (RedisProcess redis = RedisProcess.start()) {
      try (RedisConnections open = RedisConnections.open(user(redis, "-eval -evalsha"), TIMEOUT)) {
        assertThat(open.functions().inWords()).isEqualTo("functions");
      }
    }
  }

  @Test
  void aUserWithScriptsNeedsNoFunctions() {
    try (RedisProcess redis = RedisProcess.start()) {
      try (RedisConnections open =
          RedisConnections.open(user(redis, "-fcall -function"), TIMEOUT)) {
        assertThat(open.sync().ping()).isEqualTo("PONG");
      }
    }
  }

  private static String user(RedisProcess redis, String rights) {
    Assumptions.assumeFalse(
        redis.ask("INFO server").contains("redis_version:6."), "skipped: Redis 6 has no functions");
    redis.ask("ACL SETUSER limited on >secret allkeys allchannels +@all " + rights);
    return redis.uri().replace("redis://", "redis://limited:secret@");
  }
}
