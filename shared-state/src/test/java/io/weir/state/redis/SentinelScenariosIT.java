package io.weir.state.redis;

import io.weir.testkit.RedisSentinels;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The generated histories, on a master managed by Sentinels. */
final class SentinelScenariosIT extends ScenariosContract {
  private RedisSentinels sentinels;

  SentinelScenariosIT() {
    super(2, 600, true);
  }

  @BeforeAll
  void start() {
    sentinels = RedisSentinels.start();
    connect(sentinels.uri(), sentinels.uri());
  }

  @AfterAll
  void stop() {
    sentinels.close();
  }
}
