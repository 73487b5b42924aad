package io.weir.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.demo.local.ClusterFile;
import io.weir.testkit.CommandRun;
import io.weir.testkit.FreePorts;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code scripts/up} starts is ended by {@code scripts/down}. */
final class ScriptsIT {
  private static final Path JAR = Path.of("target/weir-demo.jar");
  private static final Path DOWN = Path.of("../scripts/down");

  @Test
  void downEndsWhatTheProgramStarted(@TempDir Path folder) throws Exception {
    assumeTrue(Files.exists(JAR), "skipped: the program is not packaged");
    assertThat(Files.readString(Path.of("../scripts/weir"))).contains("demo/" + JAR);
    Path run = folder.resolve("run");
    Process up = start(run, folder.resolve("up.log").toFile());
    try {
      await().atMost(Duration.ofSeconds(90)).until(() -> Files.exists(run.resolve("cluster.json")));
      assertThat(ClusterFile.read(run.resolve("cluster.json")).pid()).isEqualTo(up.pid());
      List<ProcessHandle> nodes = up.descendants().toList();
      assertThat(nodes).hasSizeGreaterThanOrEqualTo(3);

      CommandRun down =
          CommandRun.of(Duration.ofSeconds(60), DOWN.toString(), "--directory=" + run);

      assertThat(down.output()).contains("The cluster is down.");
      assertThat(up.isAlive()).isFalse();
      assertThat(nodes).noneMatch(ProcessHandle::isAlive);
      assertThat(run).doesNotExist();
    } finally {
      up.destroy();
      up.waitFor();
    }
  }

  private static Process start(Path run, File log) throws IOException {
    List<Integer> ports = FreePorts.some(7);
    ProcessBuilder builder = new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-jar",
            JAR.toString(),
            "up",
            "--directory=" + run,
            "--ports=" + list(ports.subList(0, 3)),
            "--admin-ports=" + list(ports.subList(3, 6)),
            "--upstream-port=" + ports.get(6))
        .redirectErrorStream(true)
        .redirectOutput(log);
    builder.environment().put("WEIR_HOME", "..");
    return builder.start();
  }

  private static String list(List<Integer> ports) {
    return ports.stream().map(String::valueOf).collect(Collectors.joining(","));
  }
}
