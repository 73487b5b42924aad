package io.weir.cluster.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.weir.cluster.local.ClusterFile;
import io.weir.cluster.local.ClusterFile.DemoKey;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class DemoCommandsTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void everyCommandTellsItsVersionAndItsUse() {
    for (String command : List.of("node", "policy", "key", "inspect", "up", "demo")) {
      assertThat(run(command, "--help")).isZero();
      assertThat(run(command, "--version")).isZero();
    }
    assertThat(out.toString()).contains("weir ").doesNotContain("Exception");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void vectorsAreReplayedAndADifferenceFails(@TempDir Path folder) throws IOException {
    String policy = "src/test/resources/vectors/design-doc-buckets.json";
    String vectors = "src/test/resources/vectors/design-doc.jsonl";
    assertThat(run("replay-vectors", policy, vectors)).isZero();
    assertThat(out.toString()).contains("memory: 600 decisions, 0 differences");
    Path changed = folder.resolve("changed.jsonl");
    Files.writeString(
        changed,
        Files.readString(Path.of(vectors)).replaceFirst("\"allow\":true", "\"allow\":false"));
    assertThat(run("replay-vectors", policy, changed.toString())).isEqualTo(1);
    assertThat(out.toString()).contains("600 decisions, 1 difference");
    assertThat(run("replay-vectors", "--store", "paper", policy, vectors)).isEqualTo(2);
  }

  @Test
  void aDemoWithoutAClusterSaysWhatToDo(@TempDir Path folder) {
    assertThat(run("demo", "--directory", folder.toString())).isEqualTo(1);
    assertThat(err.toString()).contains("no cluster runs here", "scripts/up --detach");
  }

  @Test
  void aSecondClusterOfAFolderSaysWhatEndsTheFirstWithoutScripts(@TempDir Path folder)
      throws IOException {
    Path file = Files.writeString(folder.resolve("cluster.json"), "{ \"pid\" : 1 }");
    assertThat(run("up", "--directory", folder.toString())).isEqualTo(1);
    assertThat(err.toString().replaceAll("\\s+", " "))
        .contains(
            file + " is there already.", "kill PID", "delete the file", "In a clone, scripts");
    assertThat(file).exists();
  }

  @Test
  void aDemoShowsTheLimitThatIsInForceAndNotThatOfTheStart(@TempDir Path folder)
      throws IOException {
    HttpServer node =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    node.createContext("/ping", exchange -> answer(exchange, ""));
    node.createContext("/v1/policy", exchange -> answer(exchange, """
        buckets:
          - { name: requests, burstPeriodMs: 2000, throttleGroups: [{ opsPerSec: 50, operations: [Ping] }] }
        subjects:
          plain: { tenant: acme }
        """));
    node.start();
    String url = "http://127.0.0.1:" + node.getAddress().getPort();
    Files.writeString(folder.resolve("cluster.json"), """
        {"nodes": ["%s"], "admins": ["http://127.0.0.1:1", "%s"], "redis": "redis://127.0.0.1:6379",
         "adminToken": "a", "serviceToken": "s", "pid": 1,
         "keys": [{"key": "plain.s", "tenant": "acme", "plan": "plain", "operation": "Ping",
                   "method": "GET", "path": "/ping", "opsPerSec": 100, "burstMs": 1000}]}
        """.formatted(url, url));
    try {
      assertThat(run("demo", "--directory=" + folder, "--callers=1", "--seconds=1"))
          .isZero();
    } finally {
      node.stop(0);
    }
    assertThat(out.toString())
        .contains("1 caller of plain: 50/s, burst 2000 ms", "the bucket holds at most 150 in 1 s")
        .doesNotContain("100/s");
  }

  private static void answer(HttpExchange exchange, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(200, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  @Test
  void aClusterBehindSentinelsIsShownAsSuchAndWithoutItsPassword() {
    String redis = "redis+sentinel://:secret@127.0.0.1:26379?master=main";
    assertThat(shown(
            redis, new Surroundings(Path.of("/x"), Path.of("/x/run"), Optional.empty(), true)))
        .contains("Redis:   redis+sentinel://127.0.0.1:26379/0?master=main")
        .contains("  WEIR_ADMIN_TOKEN=a weir inspect acme/plain")
        .contains("Page:    http://127.0.0.1:9081/  for", "Service: s  (the service token)")
        .doesNotContain("secret", "redis-cli");
  }

  @Test
  void commandsToLookInAreThoseThatTheReaderHas(@TempDir Path folder) throws IOException {
    String redis = "redis://127.0.0.1:6380";
    Path clone = Path.of("../..");
    Path run = clone.resolve("run");
    assertThat(shown(redis, new Surroundings(clone, run, Optional.empty(), true)))
        .contains("  WEIR_ADMIN_TOKEN=a ../../scripts/weir inspect acme/plain")
        .contains("  redis-cli -u redis://127.0.0.1:6380/0 --eval ../../lua/show.lua"
            + " 'weir:{72nw}:acme:key:plain' weir:policy");
    assertThat(shown(redis, new Surroundings(clone, run, Optional.empty(), false)))
        .doesNotContain("redis-cli");

    Path program = Files.createFile(folder.resolve("redis-cli"));
    Map<String, String> environment = Map.of("PATH", folder.toString(), "HOSTNAME", "0f1e2d3c4b5a");
    assertThat(Surroundings.of(environment, Path.of("./run"), false).hasRedisCli())
        .isFalse();
    assertThat(program.toFile().setExecutable(true)).isTrue();
    assertThat(Surroundings.of(environment, Path.of("./run"), false))
        .isEqualTo(new Surroundings(Path.of("."), Path.of("./run"), Optional.empty(), true));
    assertThat(shown(redis, Surroundings.of(environment, Path.of("./run"), true)))
        .contains("  docker exec -e WEIR_ADMIN_TOKEN=a -e WEIR_REDIS_URI=redis://127.0.0.1:6380/0"
            + " 0f1e2d3c4b5a weir inspect acme/plain")
        .doesNotContain("redis-cli");
  }

  @Test
  void commandsToLookInFindAClusterInAnotherFolder() {
    Path home = Path.of("/opt/weir");
    assertThat(shown(
            "redis://127.0.0.1:6380",
            new Surroundings(home, Path.of("/tmp/weir"), Optional.empty(), false)))
        .contains("  WEIR_ADMIN_TOKEN=a WEIR_NODE=http://127.0.0.1:9081"
            + " WEIR_REDIS_URI=redis://127.0.0.1:6380/0 weir inspect acme/plain");
  }

  @Test
  void pathsInCommandsAreWordsOfAShell(@TempDir Path folder) throws IOException {
    Path clone = Files.createDirectories(folder.resolve("it's my clone"));
    Files.createFile(Files.createDirectories(clone.resolve("scripts")).resolve("weir"));
    String quoted = folder + "/it'\\''s my clone";
    assertThat(shown(
            "redis://127.0.0.1:6380",
            new Surroundings(clone, clone.resolve("run"), Optional.empty(), true)))
        .contains("WEIR_ADMIN_TOKEN=a '" + quoted + "/scripts/weir' inspect acme/plain")
        .contains("--eval '" + quoted + "/lua/show.lua' 'weir:");
  }

  @Test
  void aClusterWithoutDemoKeysHasNoTableOfThem() {
    ClusterText.print(
        new ClusterFile(List.of(), List.of(), List.of(), "redis://127.0.0.1:6379", "a", "s", 1),
        new PrintWriter(out, true));
    assertThat(out.toString()).contains("Service: s").doesNotContain("Tenant");
  }

  private String shown(String redis, Surroundings here) {
    out.getBuffer().setLength(0);
    DemoKey key = new DemoKey("plain.s", "acme", "plain", "Ping", "GET", "/ping", 100, 1000);
    PrintWriter printer = new PrintWriter(out, true);
    List<String> admins = List.of("http://127.0.0.1:9081", "http://127.0.0.1:9082");
    ClusterFile cluster = new ClusterFile(List.of(), admins, List.of(key), redis, "a", "s", 1);
    ClusterText.print(cluster, printer);
    ClusterText.lookWith(key, cluster, here, printer);
    return out.toString();
  }

  private int run(String... arguments) {
    CommandLine line = DemoCommands.commandLine(Map.of());
    line.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    return line.execute(arguments);
  }
}
