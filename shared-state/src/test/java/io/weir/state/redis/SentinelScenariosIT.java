package io.weir.state.redis;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.testkit.Histories;
import io.weir.testkit.RedisSentinels;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The generated histories, on a master managed by Sentinels. */
@Tag("engine")
final class SentinelScenariosIT extends ScenariosContract {
  private RedisSentinels sentinels;

  SentinelScenariosIT() {
    super(2, 600, true);
  }

  @BeforeAll
  void start() {
    assumeTrue(Histories.areThorough(), "the same Lua code as elsewhere: with -Pthorough");
    sentinels = RedisSentinels.start(1);
    connect(sentinels.uri(), sentinels.uri());
  }

  @AfterAll
  void stop() {
    if (sentinels != null) {
      sentinels.close();
    }
  }
}
