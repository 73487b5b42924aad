package io.weir.whole.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.cluster.local.ClusterSetup;
import io.weir.cluster.local.LocalCluster;
import io.weir.cluster.local.NodeAddresses;
import io.weir.testkit.CommandRun;
import io.weir.testkit.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands in the first hour work as documented, on the example policy. */
final class DocumentedCommandsIT {
  private static final Path ROOT = Path.of("../..");
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  @TempDir
  private static Path folder;

  private static LocalCluster cluster;
  private static List<Integer> ports;

  @BeforeAll
  static void start() throws IOException, InterruptedException {
    assumeTrue(CommandRun.of(TIMEOUT, "curl", "--version").succeeded(), "skipped: no curl is here");
    ports = FreePorts.some(7);
    cluster = LocalCluster.start(new ClusterSetup(
        NodeAddresses.onLoopback(ports.subList(0, 3), ports.subList(3, 6)),
        Optional.empty(),
        0,
        Optional.of(ports.get(6)),
        ROOT.resolve("examples/mainnet.yaml"),
        ROOT.resolve("examples/keys.json"),
        folder.resolve("run")));
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void aFloodOfTheFirstHourIsAdmittedByTheLimit() throws IOException {
    long begin = System.nanoTime();
    String counts = run(blocks().get(0));
    double seconds = (System.nanoTime() - begin) / 1e9;
    long admitted = count(counts, 200);
    // A busy machine may keep a node waiting for Redis longer than it waits.
    long undecided = count(counts, 503);
    assertThat(admitted + count(counts, 429) + undecided).describedAs(counts).isEqualTo(1500);
    assertThat(undecided).describedAs(counts).isLessThan(150);
    assertThat((double) admitted).isBetween(100.0, 100 + 100 * seconds);
  }

  @Test
  void aLargeCheckOfTheFirstHourIsDeniedUntilThereIsRoomForIt() throws IOException {
    String check = blocks().get(1).strip().replace("plain", "next-token");
    String twice = check + "; echo; " + check;
    await()
        .atMost(TIMEOUT)
        .untilAsserted(() -> assertThat(run(twice)).contains("\"denied\"", "\"retryAfterMs\":"));
    assertThat(run(check.replace("70", "101"))).contains("\"never_allowed\"");
  }

  private static List<String> blocks() throws IOException {
    return Pattern.compile("```\n(.*?)```", Pattern.DOTALL)
        .matcher(Files.readString(ROOT.resolve("docs/tutorial/first-hour.md")))
        .results()
        .map(block -> block.group(1))
        .toList();
  }

  private static long count(String counts, int status) {
    return Pattern.compile("(\\d+) " + status)
        .matcher(counts)
        .results()
        .map((MatchResult found) -> found.group(1))
        .mapToLong(Long::parseLong)
        .sum();
  }

  // With the ports of this cluster.
  private static String run(String command) {
    String here = command.replace(
        "127.0.0.1:808[1-3]",
        "127.0.0.1:{%d,%d,%d}".formatted(ports.get(0), ports.get(1), ports.get(2)));
    for (int i = 0; i < 3; i++) {
      here = here.replace("127.0.0.1:808" + (i + 1), "127.0.0.1:" + ports.get(i));
    }
    CommandRun run =
        CommandRun.of(TIMEOUT, Map.of(), List.of("bash", "-c", "set -o pipefail; " + here));
    assertThat(run.status()).describedAs("%s: %s", here, run.output()).isZero();
    return run.output().strip();
  }
}
