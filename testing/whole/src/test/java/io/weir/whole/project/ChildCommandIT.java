package io.weir.whole.project;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.embedded.EmbeddedRedis;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which processes and files a program leaves behind when it ends. */
final class ChildCommandIT {
  private static final Duration ENDS_WITHIN = Duration.ofMinutes(1);

  @TempDir
  private Path temporary;

  @Test
  void everyRedisOfAKilledProgramEnds() throws Exception {
    Process owner = start();
    List<ProcessHandle> servers = List.of();
    try {
      BufferedReader output = output(owner);
      assertThat(output.readLine()).startsWith(RedisOwner.READY);
      servers = owner.descendants().toList();
      assertThat(servers.stream().filter(ChildCommandIT::isRedis)).hasSize(4);
      assertThat(directories()).hasSize(4);

      owner.destroyForcibly().waitFor();

      for (ProcessHandle server : servers) {
        await().atMost(ENDS_WITHIN).until(() -> hasEnded(server));
      }
      await().atMost(ENDS_WITHIN).until(() -> directories().isEmpty());
    } finally {
      servers.forEach(ProcessHandle::destroyForcibly);
      owner.destroyForcibly();
    }
  }

  @Test
  void aProgramThatEndsLeavesNothing() throws Exception {
    Process owner = start();
    try {
      BufferedReader output = output(owner);
      assertThat(output.readLine()).startsWith(RedisOwner.READY);
      List<ProcessHandle> servers = owner.descendants().toList();

      owner.getOutputStream().close();

      assertThat(owner.waitFor()).isZero();
      for (ProcessHandle server : servers) {
        await().atMost(ENDS_WITHIN).until(() -> hasEnded(server));
      }
      assertThat(directories()).isEmpty();
    } finally {
      owner.destroyForcibly();
    }
  }

  @Test
  void aRedisThatIsClosedLeavesNothingWhileItsProgramRuns() {
    Set<Long> before =
        ProcessHandle.current().descendants().map(ProcessHandle::pid).collect(Collectors.toSet());
    List<ProcessHandle> started;
    try (EmbeddedRedis redis = EmbeddedRedis.start(EmbeddedRedis.Binary.BUNDLED, 0)) {
      started = ProcessHandle.current()
          .descendants()
          .filter(process -> !before.contains(process.pid()))
          .toList();
      assertThat(started.stream().filter(ChildCommandIT::isRedis))
          .as(redis.uri())
          .hasSize(1);
    }
    for (ProcessHandle process : started) {
      await().atMost(ENDS_WITHIN).until(() -> hasEnded(process));
    }
  }

  private List<Path> directories() throws IOException {
    try (Stream<Path> all = Files.list(temporary)) {
      return all.filter(path -> path.getFileName().toString().startsWith("weir-"))
          .toList();
    }
  }

  private Process start() throws Exception {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-Djava.io.tmpdir=" + temporary,
            "-cp",
            System.getProperty("java.class.path"),
            RedisOwner.class.getName())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static BufferedReader output(Process process) {
    return new BufferedReader(
        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  private static boolean isRedis(ProcessHandle process) {
    return process
        .info()
        .command()
        .filter(program -> program.matches(".*(redis|valkey).*"))
        .isPresent();
  }

  // A process that nobody has waited for yet has an entry, but no program.
  private static boolean hasEnded(ProcessHandle process) {
    return process.info().command().isEmpty();
  }
}
