package io.weir.state.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.weir.testkit.RedisDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What functions keep between calls, {@code lua/lib/memo.lua}. */
final class MemoIT {
  private static final Path MODULE = Path.of("../lua/lib/memo.lua");

  @Test
  void aValueInUseIsKeptWhileManyOthersComeAndGo() throws IOException {
    assertThat(derivations("for i = 1, 100000 do of('other' .. i) of('used') end"))
        .isEqualTo(1);
  }

  @Test
  void aValueOutOfUseIsDropped() throws IOException {
    assertThat(derivations("of('used') for i = 1, 100000 do of('other' .. i) end of('used')"))
        .isEqualTo(2);
  }

  @Test
  void whatIsKeptBesideAValueIsDroppedWhenItBecomesYoungAgain() throws IOException {
    assertThat(run("""
        local function bytes_of() return 1000 end
        local of = MEMO.memo(function() return { beside = 0 } end, bytes_of, function(value) value.beside = 0 end)
        local most = 0
        for i = 1, 100000 do
          local value = of('used')
          MEMO.grow(1000)
          value.beside = value.beside + 1000
          most = math.max(most, value.beside)
        end
        return most""")).isBetween(6_000_000L, 13_200_000L);
  }

  // How often the value of "used" is derived.
  private static long derivations(String calls) throws IOException {
    return run("""
        local derived = 0
        local of = MEMO.memo(function(text)
          derived = derived + (text == 'used' and 1 or 0)
          return text
        end, function() return 1000 end)
        %s
        return derived""".formatted(calls));
  }

  private static long run(String body) throws IOException {
    String script =
        "local MEMO = (function()\n%s\nend)()\n%s".formatted(Files.readString(MODULE), body);
    try (RedisDatabase redis = RedisDatabase.open()) {
      RedisClient client = RedisClient.create(redis.uri());
      try {
        Long result = client.connect().sync().eval(script, ScriptOutputType.INTEGER);
        return result;
      } finally {
        client.shutdown();
      }
    }
  }
}
