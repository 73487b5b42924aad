package io.weir.state.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.connection.RedisConnections;
import io.weir.state.lane.RedisBucketStore;
import io.weir.testkit.BucketStoreContract;
import io.weir.testkit.ManualClock;
import io.weir.testkit.RedisProcess;
import io.weir.testkit.TransportFacts;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The contract, on Valkey 9. */
@Tag("containers")
@TransportFacts
final class Valkey9IT extends BucketStoreContract {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  private static RedisProcess server;
  private static RedisConnections connections;

  @BeforeAll
  static void start() {
    server = RedisProcess.valkey9();
    connections = RedisConnections.open(server.uri(), TIMEOUT);
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      connections.close();
      server.close();
    }
  }

  @Override
  protected BucketStore emptyStore(ManualClock clock) {
    connections.sync().flushall();
    return RedisBucketStore.rehearsing(connections, clock);
  }

  /** Lua is a module since 9.1, which an operator may leave out. */
  @Test
  void aServerWithoutTheModuleOfLuaIsRefused() {
    try (RedisProcess without = RedisProcess.valkey9("--enable-module-command", "yes")) {
      assertThat(without.ask("MODULE UNLOAD lua")).isEqualTo("+OK");
      assertThatThrownBy(() -> RedisConnections.open(without.uri(), TIMEOUT))
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageStartingWith("Redis runs no Lua scripts: ");
    }
  }
}
