package io.weir.operators.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.command.WeirCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What {@code weir work} says of the answer of a node. */
final class WorkTest {
  private static final Map<String, String> OURS = Map.of("upstream", "rpc", "provider", "ours");
  private static final Map<String, String> OTHERS =
      Map.of("upstream", "rpc", "provider", "a-provider-with-a-long-name");

  @Test
  void providersJobsAndWindowsAreSaidInWords() throws IOException {
    JsonObject rpc = named(
        "rpc",
        "open:ours",
        "1 (2999-01-01T00:00:00.000000Z)",
        "busy:ours",
        "3 (at most 5)",
        "cool:ours/key-1",
        "1 (2999-01-01T00:00:00.000000Z)",
        "cool:ours/key-2",
        "1 (2020-09-13T12:26:40.000000Z)");
    JsonObject states = new JsonObject()
        .put("upstream", JsonArray.of(rpc))
        .put("jobs", JsonArray.of(named("Proof")))
        .put("window", JsonArray.of(named("blocks", "todo", "7", "next", "1207")))
        .put(
            "nodes",
            JsonArray.of(
                node(
                    meter("upstream.breaker", OURS, 2),
                    meter("upstream.breaker", OTHERS, 0),
                    meter("upstream.attempts", with(OURS, "outcome", "good"), 90),
                    meter("upstream.attempts", with(OURS, "outcome", "bad"), 10),
                    times(10, 50, 100, 100),
                    meter("jobs.queue", Map.of("operation", "Proof", "queue", "waiting"), 4),
                    meter("jobs.queue", Map.of("operation", "Proof", "queue", "checking"), 1)),
                node(
                    meter("upstream.breaker", OURS, 0),
                    meter("upstream.attempts", with(OURS, "outcome", "bad"), 5),
                    times(20, 100),
                    meter("jobs.queue", Map.of("operation", "Proof", "queue", "waiting"), 4),
                    meter("jobs.ended", Map.of("operation", "Proof", "state", "timed_out"), 2),
                    meter("window.watermark", Map.of("window", "blocks"), 1200))));

    assertThat(
            said(states).lines().map(line -> line.replaceAll(" +", " ").replaceAll("\\d{6}", "N")))
        .containsExactly(
            "Rates, failures and p99: the last minute",
            "upstream provider rate failed p99 under way now",
            "rpc a-provider-with-… 0.0/s used",
            "rpc ours 1.8/s 14 % 100 ms 3 left alone after",
            " failures, tried",
            " again in N d",
            "Key key-1 of ours is left alone, used again in N d",
            "",
            "jobs waiting to be sent running ended failed",
            "Proof 5 0 0 0.0/s 2",
            "",
            "window done up to open failed to be claimed next number",
            "blocks 1200 0 0 7 1207");
    assertThat(said(states).lines())
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
  }

  @Test
  void aPolicyWithoutThemIsSaid() throws IOException {
    JsonObject none = new JsonObject().put("nodes", JsonArray.of(node()));

    assertThat(said(none).strip())
        .isEqualTo("The policy has no upstream of providers, no jobs and no windows.");
  }

  private static String said(JsonObject states) throws IOException {
    HttpServer node =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    answer(node, "/v1/policy", 401, new JsonObject().put("code", "admin_token_invalid"));
    answer(node, "/v1/states", 200, states);
    node.start();
    try {
      StringWriter out = new StringWriter();
      WeirCommand.commandLine(Map.of(), Optional::empty)
          .setOut(new PrintWriter(out))
          .setErr(new PrintWriter(out))
          .execute(
              "work",
              "--node",
              "http://127.0.0.1:" + node.getAddress().getPort(),
              "--admin-token",
              "admin");
      return out.toString();
    } finally {
      node.stop(0);
    }
  }

  private static void answer(HttpServer node, String path, int status, JsonObject answer) {
    node.createContext(path, exchange -> {
      byte[] body = answer.encode().getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(status, body.length);
      exchange.getResponseBody().write(body);
      exchange.close();
    });
  }

  private static JsonObject named(String name, String... fields) {
    JsonObject state = new JsonObject();
    for (int i = 0; i < fields.length; i += 2) {
      state.put(fields[i], fields[i + 1]);
    }
    return new JsonObject().put("name", name).put("state", state);
  }

  private static JsonObject node(JsonObject... meters) {
    return new JsonObject()
        .put("latelyMs", 60_000)
        .put("meters", new JsonArray(Arrays.asList(meters)));
  }

  private static JsonObject meter(String name, Map<String, String> tags, double value) {
    JsonObject labels = new JsonObject();
    tags.forEach(labels::put);
    return new JsonObject()
        .put("name", name)
        .put("tags", labels)
        .put("value", value)
        .put("lately", new JsonObject().put("value", value));
  }

  private static JsonObject times(double... boundsAndCounts) {
    JsonArray buckets = new JsonArray();
    for (int i = 0; i < boundsAndCounts.length; i += 2) {
      buckets.add(JsonArray.of(boundsAndCounts[i], boundsAndCounts[i + 1]));
    }
    JsonObject times = meter("upstream.latency", OURS, 0);
    times.getJsonObject("lately").put("buckets", buckets);
    return times;
  }

  private static Map<String, String> with(Map<String, String> tags, String name, String value) {
    return Map.of("upstream", tags.get("upstream"), "provider", tags.get("provider"), name, value);
  }
}
