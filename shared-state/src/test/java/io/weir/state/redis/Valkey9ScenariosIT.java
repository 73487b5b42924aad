package io.weir.state.redis;

import io.weir.testkit.RedisProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The generated histories, on Valkey 9. */
@Tag("containers")
final class Valkey9ScenariosIT extends ScenariosContract {
  private RedisProcess server;

  Valkey9ScenariosIT() {
    super(2, 600, true);
  }

  @BeforeAll
  void start() {
    server = RedisProcess.valkey9();
    connect(server.uri(), server.uri());
  }

  @AfterAll
  void stop() {
    if (server != null) {
      server.close();
    }
  }
}
