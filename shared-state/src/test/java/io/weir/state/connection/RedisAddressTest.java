package io.weir.state.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.state.connection.RedisAddress.Credentials;
import io.weir.state.connection.RedisAddress.Host;
import io.weir.state.connection.RedisAddress.Servers;
import io.weir.state.connection.RedisAddress.Settings;
import io.weir.state.connection.RedisAddress.TlsFiles;
import io.weir.state.connection.RedisAddress.Topology;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RedisAddressTest {
  private static final Credentials NOBODY = new Credentials(Optional.empty(), Optional.empty());
  private static final TlsFiles NO_FILES =
      new TlsFiles(Optional.empty(), Optional.empty(), Optional.empty());

  @Test
  void everythingMayBeLeftOutButTheHost() {
    assertThat(RedisAddress.parse("redis://cache"))
        .isEqualTo(new RedisAddress(
            new Servers(Topology.SINGLE, List.of(new Host("cache", 6379)), "", NOBODY),
            false,
            NO_FILES,
            0,
            NOBODY,
            new Settings("weir", 0, true)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "redis://cache | redis://cache:6379/0",
        "rediss://weir:secret@cache:7000/3?ca=ca.pem | rediss://cache:7000/3",
        "redis+sentinel://:secret@one,two?master=main&sentinelPassword=secret"
            + " | redis+sentinel://one:26379,two:26379/0?master=main",
        "redis+cluster://:secret@[::1]:7000,b | redis+cluster://[::1]:7000,b:6379/0"
      })
  void aUriThatIsShownKeepsItsFormAndHasNoSecret(String given, String shown) {
    assertThat(RedisAddress.parse(given).withoutSecrets()).isEqualTo(shown);
    assertThat(RedisAddress.parse(shown).servers().topology())
        .isEqualTo(RedisAddress.parse(given).servers().topology());
  }

  @Test
  void everyPartIsRead() {
    assertThat(RedisAddress.parse("rediss+sentinel://weir:p%40ss+word@one,two:7000/3?master=main"
            + "&sentinelUsername=s&sentinelPassword=t&clientName=mine&waitReplicas=2&functions=off&ca=ca.pem&certificate=c.pem"
            + "&key=%2Fk.pem"))
        .isEqualTo(new RedisAddress(
            new Servers(
                Topology.SENTINEL,
                List.of(new Host("one", 26_379), new Host("two", 7000)),
                "main",
                new Credentials(Optional.of("s"), Optional.of("t"))),
            true,
            new TlsFiles(
                Optional.of(Path.of("ca.pem")),
                Optional.of(Path.of("c.pem")),
                Optional.of(Path.of("/k.pem"))),
            3,
            new Credentials(Optional.of("weir"), Optional.of("p@ss+word")),
            new Settings("mine", 2, false)));
    RedisAddress cluster = RedisAddress.parse("redis+cluster://:secret@[::1]:7000,b");
    assertThat(cluster.servers().topology()).isEqualTo(Topology.CLUSTER);
    assertThat(cluster.servers().hosts())
        .containsExactly(new Host("::1", 7000), new Host("b", 6379));
    assertThat(cluster.credentials().password()).contains("secret");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "cache:6379",
        "http://:s3cr3t@cache",
        "redis://:s3cr3t%x@cache",
        "redis://:s3cr3t@",
        "redis://:s3cr3t@cache/x",
        "redis://:s3cr3t@cache:0",
        "redis://:s3cr3t@cache:65536",
        "redis://:s3cr3t@ca che",
        "redis+cluster://:s3cr3t@a,",
        "redis://cache?password=s3cr3t",
        "redis://cache?clientName=a&clientName=s3cr3t"
      })
  void anythingElseIsRefusedWithoutRepeatingIt(String text) {
    assertThatThrownBy(() -> RedisAddress.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected: ")
        .hasMessageNotContaining("s3cr3t");
    assertThat(RedisAddress.parse("redis://:s3cr3t@cache").toString()).doesNotContain("s3cr3t");
  }

  @ParameterizedTest
  @CsvSource({
    "'redis://a,b', several hosts",
    "'redis+cluster://a,b/1', a database",
    "'redis+sentinel://a,b', the option master",
    "'redis://a?master=main', the option master",
    "'redis://a?ca=ca.pem', the options ca",
    "'redis://a?waitReplicas=x', waitReplicas",
    "'redis://a?functions=on', functions",
    "'redis+cluster://a?waitReplicas=1', waitReplicas",
    "'rediss://a?key=k.pem', both or none",
  })
  void mistakesInAnAddressAreNamed(String text, String problem) {
    assertThatThrownBy(() -> RedisAddress.parse(text)).hasMessageContaining(problem);
  }
}
