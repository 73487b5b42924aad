package io.weir.cluster.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DemoFilesTest {
  @TempDir
  private Path folder;

  @Test
  void redisAndNodesGetTheSameNewPassword() throws IOException {
    ClusterFile cluster = write();
    String redis = Files.readString(folder.resolve("redis.conf"));
    assertThat(redis).matches("requirepass [0-9a-f]{48}\n");
    String password = redis.substring("requirepass ".length()).strip();
    assertThat(cluster.redis()).isEqualTo("redis://:" + password + "@redis:6379");
    assertThat(Files.readString(folder.resolve("node.conf")))
        .contains("redis-uri = " + cluster.redis() + "\n");
  }

  @Test
  void filesThatAreThereStay() throws IOException {
    ClusterFile first = write();
    String redis = Files.readString(folder.resolve("redis.conf"));
    assertThat(write()).isEqualTo(first);
    assertThat(Files.readString(folder.resolve("redis.conf"))).isEqualTo(redis);
  }

  @Test
  void theFileOfRedisIsMadeAgainWithThePasswordOfTheOthers() throws IOException {
    write();
    String redis = Files.readString(folder.resolve("redis.conf"));
    Files.delete(folder.resolve("redis.conf"));
    write();
    assertThat(Files.readString(folder.resolve("redis.conf"))).isEqualTo(redis);
  }

  @Test
  void filesOfAVersionWithoutAPasswordGoOnWithoutOne() throws IOException {
    String password = write().redis().replaceAll("redis://|@.*", "");
    Path cluster = folder.resolve("cluster.json");
    Files.writeString(cluster, Files.readString(cluster).replace(password + "@", ""));
    Files.delete(folder.resolve("redis.conf"));
    write();
    assertThat(Files.readString(folder.resolve("redis.conf"))).isEqualTo("protected-mode no\n");
  }

  @Test
  void allProblemsOfTheListOfKeysAreReported() throws IOException {
    Path keys = Files.writeString(folder.resolve("keys.json"), """
        [{"key": "hello", "operation": "Ping", "method": 1, "path": "/ping"}, "hello.secret"]
        """);
    assertThatThrownBy(() -> write(keys)).isInstanceOf(IOException.class).hasMessage("""
            %1$s: entry 1: 'method' is no text (expected: a text)
            %1$s: entry 1: 'key' has no id (expected: id.secret)
            %1$s: entry 2: no object (expected: one with [key, operation, method, path])""", keys);
    Files.writeString(keys, "{}");
    assertThatThrownBy(() -> write(keys)).hasMessageStartingWith(keys + ": no list");
    Files.writeString(keys, "[");
    assertThatThrownBy(() -> write(keys)).hasMessageStartingWith(keys + ": no JSON");
    assertThat(folder.resolve("cluster.json")).doesNotExist();
  }

  private ClusterFile write() throws IOException {
    return write(Path.of("../../examples/keys.json"));
  }

  private ClusterFile write(Path keys) throws IOException {
    return DemoFiles.write(new DemoFiles.Plan(
        List.of("http://lb:8080"),
        List.of("http://127.0.0.1:9080"),
        "redis://redis:6379",
        "http://upstream:9000",
        Path.of("../../examples/mainnet.yaml"),
        keys,
        folder));
  }
}
