package io.weir.whole.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.cluster.local.ClientCalls;
import io.weir.cluster.local.ClusterSetup;
import io.weir.cluster.local.LocalCluster;
import io.weir.cluster.local.NodeAddresses;
import io.weir.testkit.FreePorts;
import io.weir.whole.languages.Python;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clients: Weir's own, and unmodified third-party ones from {@code examples/clients}. */
@Tag("clients")
final class ClientsIT {
  private static final Path EXAMPLES =
      Path.of("../../examples/clients").toAbsolutePath().normalize();

  /** How a process ended, and what it printed. */
  private record Ended(int exit, String text) {}

  @TempDir
  private static Path folder;

  @AutoClose
  private static LocalCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster = LocalCluster.start(new ClusterSetup(
        NodeAddresses.onLoopback(FreePorts.some(3), FreePorts.some(3)),
        Optional.empty(),
        0,
        Optional.of(FreePorts.one()),
        EXAMPLES.resolve("policy.yaml"),
        EXAMPLES.resolve("keys.json"),
        folder.resolve("run")));
  }

  @ParameterizedTest
  @CsvSource({
    "node,    got.js,           node_modules/got",
    "node,    undici.js,        node_modules/undici",
    "node,    openai.js,        node_modules/openai",
    "python3, urllib3_retry.py, ''",
  })
  void twoHundredCallsAtTwentyASecondSucceed(String program, String script, String needs)
      throws Exception {
    assumeTrue(Files.exists(EXAMPLES.resolve(needs)), "not here: npm install in examples/clients");
    String found = program.equals("python3") ? Python.with("urllib3") : program;
    ProcessBuilder client = new ProcessBuilder(found, EXAMPLES.resolve(script).toString());
    client.environment().put("WEIR_URL", cluster.description().nodes().get(0));
    Matcher succeeded =
        Pattern.compile("(\\d+) of 200 calls succeeded").matcher(ended(client).text());
    assertThat(succeeded.find()).isTrue();
    // Some of them give up after three attempts: a machine that stalls costs them a call or two.
    assertThat(Integer.parseInt(succeeded.group(1))).isGreaterThanOrEqualTo(196);
  }

  @Test
  void oursTakesAboutTwoAttemptsAndLosesNoTime() throws Exception {
    ClientCalls.Outcome outcome = new ClientCalls(cluster.description().nodes())
        .run(cluster.description().key("twenty"), 100, event -> {});
    assertThat(outcome.admitted()).isEqualTo(100);
    assertThat(outcome.rejected()).isZero();
    // Three allows for a machine that stalls: the demo measures.
    assertThat(outcome.attemptsPerSuccess()).isLessThanOrEqualTo(3);
    assertThat(outcome.tookNanos()).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(3900));
  }

  @Test
  void anUploadThatWasKilledGoesOnWhereItWas() throws Exception {
    Path file = Files.write(folder.resolve("object.bin"), new byte[1 << 20]);
    Path finished = folder.resolve("object.bin.uploaded");
    Process killed = upload(file)
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("killed.txt").toFile())
        .start();
    try {
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> Files.exists(finished) && Files.readAllLines(finished).size() >= 5);
    } finally {
      killed.destroyForcibly().waitFor();
    }
    int before = Files.readAllLines(finished).size();
    assertThat(output(upload(file)))
        .startsWith("%d of 64 segments are there".formatted(before))
        .endsWith("done\n");
    assertThat(Files.readAllLines(finished)).hasSize(64).doesNotHaveDuplicates();
  }

  private static ProcessBuilder upload(Path file) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-cp",
        classPath(),
        "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
        EXAMPLES.resolve("Upload.java").toString(),
        file.toString());
    builder.environment().put("WEIR_URL", cluster.description().nodes().get(0));
    return builder;
  }

  // As the comment in the file says, relative to the directory of the project, but for the folder
  // of this build.
  private static String classPath() throws IOException {
    Matcher told = Pattern.compile("java -cp '([^']+)' examples/clients/Upload.java")
        .matcher(Files.readString(EXAMPLES.resolve("Upload.java")));
    assertThat(told.find()).isTrue();
    return Path.of("../..")
        .resolve(told.group(1).replace("target/quick", "target"))
        .toString();
  }

  private static String output(ProcessBuilder builder) throws IOException, InterruptedException {
    Ended process = ended(builder);
    assertThat(process.exit()).as(process.text()).isZero();
    return process.text();
  }

  private static Ended ended(ProcessBuilder builder) throws IOException, InterruptedException {
    Path output = folder.resolve("output.txt");
    Process process =
        builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    return new Ended(process.exitValue(), Files.readString(output));
  }
}
