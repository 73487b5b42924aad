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
    assertThat(out.toString()).contains("600 decisions, 1 differences");
    assertThat(run("replay-vectors", "--store", "paper", policy, vectors)).isEqualTo(2);
  }

  @Test
  void aDemoWithoutAClusterSaysWhatToDo(@TempDir Path folder) {
    assertThat(run("demo", "--directory", folder.toString())).isEqualTo(1);
    assertThat(err.toString()).contains("no cluster runs here", "scripts/up --detach");
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
        .contains("1 callers of plain: 50/s, burst 2000 ms", "the bucket holds at most 150 in 1 s")
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
    DemoKey key = new DemoKey("plain.s", "acme", "plain", "Ping", "GET", "/ping", 100, 1000);
    String redis = "redis+sentinel://:secret@127.0.0.1:26379?master=main";
    PrintWriter printer = new PrintWriter(out, true);
    ClusterText.print(
        new ClusterFile(List.of(), List.of(), List.of(key), redis, "a", "s", 1), printer);
    ClusterText.lookWith(key, redis, printer);
    ClusterText.lookWith(key, "redis://127.0.0.1:6380", printer);
    assertThat(out.toString())
        .contains(
            "Redis:   redis+sentinel://127.0.0.1:26379/0?master=main", "weir inspect acme/plain")
        .contains(
            "redis-cli -u redis://127.0.0.1:6380/0 --eval lua/show.lua 'weir:{72nw}:acme:key:plain'")
        .doesNotContain("secret");
  }

  private int run(String... arguments) {
    CommandLine line = DemoCommands.commandLine(Map.of());
    line.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    return line.execute(arguments);
  }
}
