package io.weir.whole.project;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.cluster.local.ClusterFile;
import io.weir.testkit.CommandRun;
import io.weir.testkit.FreePorts;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The scripts that build, start and end a local cluster. */
final class ScriptsIT {
  private static final Path JAR = BuildFolder.of("tools/cluster").resolve("weir-cluster.jar");
  private static final Path DOWN = Path.of("../../scripts/down");

  @Test
  void downEndsWhatTheProgramStarted(@TempDir Path folder) throws Exception {
    assumeTrue(Files.exists(JAR), "skipped: the program is not packaged");
    assertThat(Files.readString(Path.of("../../scripts/weir"))).contains("/" + JAR.getFileName());
    Path run = folder.resolve("run");
    Process up = start(run, folder.resolve("up.log").toFile());
    try {
      await().atMost(Duration.ofMinutes(3)).until(() -> Files.exists(run.resolve("cluster.json")));
      assertThat(ClusterFile.read(run.resolve("cluster.json")).pid()).isEqualTo(up.pid());
      Path log = folder.resolve("up.log");
      await().until(() -> Files.readString(log).contains("scripts/down ends it all."));
      List<ProcessHandle> nodes = up.descendants().toList();
      assertThat(nodes).hasSizeGreaterThanOrEqualTo(3);

      CommandRun down =
          CommandRun.of(Duration.ofSeconds(60), DOWN.toString(), "--directory=" + run);

      assertThat(down.output()).contains("The cluster is down.");
      // A process that has given its memory back is alive until the system has ended it.
      await().until(() -> !up.isAlive());
      await().until(() -> nodes.stream().noneMatch(ProcessHandle::isAlive));
      assertThat(run).doesNotExist();
    } finally {
      up.destroy();
      up.waitFor();
    }
  }

  @Test
  void whatAKilledProgramStartedEnds(@TempDir Path folder) throws Exception {
    assumeTrue(Files.exists(JAR), "skipped: the program is not packaged");
    Path run = folder.resolve("run");
    Process up = start(run, folder.resolve("up.log").toFile());
    try {
      await().atMost(Duration.ofMinutes(3)).until(() -> Files.exists(run.resolve("cluster.json")));
      List<ProcessHandle> started = up.descendants().toList();
      assertThat(started).hasSizeGreaterThanOrEqualTo(4); // Redis and the nodes

      up.destroyForcibly().waitFor();

      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> started.stream().allMatch(it -> it.info().command().isEmpty()));
    } finally {
      up.destroyForcibly();
    }
  }

  @Test
  void aBuildSaysHowFarItIsAndImagesMayReadItsFiles(@TempDir Path home) throws Exception {
    fakeMaven(home, """
        echo "[INFO] Building weir-core 0.1.0-SNAPSHOT                  [2/7]"
        for file in $(seq 30); do echo "Downloaded from central: https://repo/$file (1 kB)"; done
        mkdir -p tools/cluster/target && echo jar > tools/cluster/target/weir-cluster.jar
        """);
    CommandRun run = CommandRun.of(
        Duration.ofSeconds(20),
        "bash",
        "-c",
        "umask 077; exec '%s' tools/cluster 2>&1".formatted(home.resolve("scripts/build")));
    assertThat(run.status()).describedAs(run.output()).isZero();
    assertThat(run.output().lines())
        .containsExactly(
            "Building Weir. The first time this fetches Maven and libraries and takes a minute or two.",
            "  [2/7] weir-core",
            "  25 files fetched",
            "Built.");
    assertThat(Files.getPosixFilePermissions(home.resolve("tools/cluster/target/weir-cluster.jar")))
        .contains(PosixFilePermission.OTHERS_READ, PosixFilePermission.GROUP_READ);
  }

  @Test
  void aBuildThatFailsShowsItsErrorsAndNoMore(@TempDir Path home) throws Exception {
    fakeMaven(home, """
        echo "[INFO] some line"
        echo "[ERROR] core/src/main/java/A.java:[1,1] ';' expected"
        exit 1
        """);
    CommandRun run = CommandRun.of(
        Duration.ofSeconds(20),
        "bash",
        "-c",
        home.resolve("scripts/build") + " tools/cluster 2>&1");
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.output()).contains("A.java:[1,1] ';' expected").doesNotContain("some line");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "bench",
        "build tools/cluster",
        "bundle",
        "clients",
        "dist",
        "install",
        "test ScriptsIT",
        "up",
        "weir"
      })
  void aJdkThatIsTooOldIsNamed(String script, @TempDir Path jdk) throws IOException {
    Files.createDirectories(jdk.resolve("bin"));
    program(jdk.resolve("bin/javac"), "echo 'javac 1.8.0_402' >&2");
    program(jdk.resolve("bin/java"), "exit 3");
    CommandRun run = CommandRun.of(
        Duration.ofMinutes(1),
        Map.of("JAVA_HOME", jdk.toString()),
        List.of("bash", "-c", "../../scripts/" + script));
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.output())
        .isEqualTo("This JDK is too old (javac 1.8.0_402): install one of 17 or newer, or set"
            + " JAVA_HOME to it.\n");
  }

  @Test
  void aCloneOnWindowsHasScriptsThatAShellRuns(@TempDir Path folder) throws IOException {
    String home = Path.of("../..").toRealPath().toString();
    Path clone = folder.resolve("clone");
    git("clone", "-q", "--shared", "--no-checkout", home, clone.toString());
    git("-C", clone.toString(), "checkout", "-q", "HEAD", "--", ".gitattributes", "scripts");
    assertThat(Files.readString(clone.resolve("scripts/dist")))
        .startsWith("#!/usr/bin/env bash\n")
        .doesNotContain("\r");
  }

  // As Git for Windows is set when it is installed.
  private static void git(String... arguments) {
    CommandRun run = CommandRun.of(
        Duration.ofMinutes(1),
        Stream.concat(Stream.of("git", "-c", "core.autocrlf=true"), Stream.of(arguments))
            .toArray(String[]::new));
    assertThat(run.succeeded()).describedAs(run.output()).isTrue();
  }

  @Test
  void onlyScriptsBuildRunsMavenToPackage() throws IOException {
    for (String script : List.of("up", "weir", "bench")) {
      assertThat(Files.readString(Path.of("../../scripts", script))).doesNotContain("mvnw");
    }
  }

  private static void fakeMaven(Path home, String script) throws IOException {
    Files.createDirectories(home.resolve("scripts"));
    Files.createDirectories(home.resolve(".mvn"));
    for (String file : List.of("scripts/build", ".mvn/jdk.sh")) {
      Files.copy(Path.of("../..", file), home.resolve(file));
    }
    program(home.resolve("mvnw"), script);
    Files.setPosixFilePermissions(
        home.resolve("scripts/build"), PosixFilePermissions.fromString("rwx------"));
  }

  private static void program(Path file, String script) throws IOException {
    Files.writeString(file, "#!/usr/bin/env bash\n" + script);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
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
    builder.environment().put("WEIR_HOME", "../..");
    builder.environment().put("WEIR_ENDED_BY", "scripts/down"); // as scripts/up --detach does
    return builder.start();
  }

  private static String list(List<Integer> ports) {
    return ports.stream().map(String::valueOf).collect(Collectors.joining(","));
  }
}
