package io.weir.state.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RedisAddressTest {
  @Test
  void everythingMayBeLeftOutButTheHost() {
    assertThat(RedisAddress.parse("redis://cache"))
        .isEqualTo(new RedisAddress(false, "cache", 6379, 0, Optional.empty(), Optional.empty()));
  }

  @Test
  void everyPartIsRead() {
    assertThat(RedisAddress.parse("rediss://weir:p%40ss+word@cache:7000/3"))
        .isEqualTo(new RedisAddress(
            true, "cache", 7000, 3, Optional.of("weir"), Optional.of("p@ss+word")));
    assertThat(RedisAddress.parse("redis://:secret@[::1]:7000").password()).contains("secret");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "cache:6379",
        "http://:s3cr3t@cache",
        "redis://:s3cr3t^@cache",
        "redis://:s3cr3t@",
        "redis://:s3cr3t@cache/x"
      })
  void anythingElseIsRefusedWithoutRepeatingIt(String text) {
    assertThatThrownBy(() -> RedisAddress.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("s3cr3t");
    assertThat(RedisAddress.parse("redis://:s3cr3t@cache").toString()).doesNotContain("s3cr3t");
  }
}
