package io.weir.state.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.testkit.Histories;
import io.weir.testkit.RedisDatabase;
import io.weir.testkit.Scenario.StepType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The generated histories, on the Redis of this machine. */
@Tag("engine")
final class RedisScenariosIT extends ScenariosContract {
  private RedisDatabase redis;

  RedisScenariosIT() {
    super(Histories.count(1, 7), 3000, true);
  }

  @BeforeAll
  void start() {
    redis = RedisDatabase.open();
    connect(redis.uri(), redis.uri());
  }

  @AfterAll
  void stop() {
    redis.close();
  }

  @Test
  void everythingHappensInTheseHistories() {
    agreesWithMemoryAfterEveryStep(StepType.MIXED, 11);
    assertThat(seen())
        .containsKeys(
            "Allowed",
            "Denied",
            "NeverAllowed",
            "Stale",
            "NOT",
            "EARLY",
            "KEPT",
            "LATE",
            "UNKNOWN",
            "made",
            "estimate",
            "slot");
    // The shortest path of rates, the general one, and the commands that only tickets need.
    assertThat(admin().info("commandstats"))
        .contains(
            "cmdstat_setrange",
            "cmdstat_set:",
            "cmdstat_getbit",
            "cmdstat_setbit",
            "cmdstat_pexpireat");
  }
}
