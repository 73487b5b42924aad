package io.weir.keys.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.command.WeirCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** An import whose node answers some requests with an error. */
final class StoppedImportTest {
  @TempDir
  private Path folder;

  private HttpServer node;
  private String failing = "";

  @BeforeEach
  void start() throws IOException {
    node = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    node.createContext("/v1/policy", exchange -> answer(exchange, 401, "admin_token_invalid"));
    node.createContext("/v1/key-imports", this::take);
    node.start();
  }

  @AfterEach
  void stop() {
    node.stop(0);
  }

  private void take(HttpExchange exchange) throws IOException {
    JsonObject body = new JsonObject(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
    JsonArray keys = body.getJsonArray("keys");
    if (keys.getJsonObject(0).getString("id").equals(failing)) {
      answer(exchange, 503, "unavailable");
      return;
    }
    send(
        exchange,
        200,
        new JsonObject()
            .put("created", keys.size())
            .put("same", 0)
            .put("replaced", 0)
            .put("failed", new JsonArray()));
  }

  private static void answer(HttpExchange exchange, int status, String code) throws IOException {
    exchange.getRequestBody().readAllBytes();
    send(exchange, status, new JsonObject().put("code", code));
  }

  private static void send(HttpExchange exchange, int status, JsonObject json) throws IOException {
    byte[] bytes = json.encode().getBytes(UTF_8);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  /** What a command printed. */
  private record Ran(int status, String out, String err) {}

  private Ran imported(int keys, String... more) throws IOException {
    Path file = folder.resolve("keys.csv");
    StringBuilder text = new StringBuilder("id,tenant,key\n");
    for (int i = 0; i < keys; i++) {
      text.append("m%d,acme,opaque-key-number-%d\n".formatted(i, i));
    }
    text.append("bad,acme,short\n");
    Files.writeString(file, text);
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = WeirCommand.commandLine(Map.of(), Optional::empty)
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err));
    String uri = "http://127.0.0.1:" + node.getAddress().getPort();
    String[] words = {"keys", "import", file.toString(), "--node", uri, "--admin-token", "secret"};
    String[] all = java.util.stream.Stream.of(words, more)
        .flatMap(java.util.Arrays::stream)
        .toArray(String[]::new);
    return new Ran(line.execute(all), out.toString(), err.toString());
  }

  @Test
  void allRowsThatWereSentAreCountedAndTheRestHasALineToGoOnFrom() throws IOException {
    failing = "m500";
    Ran ran = imported(1200);
    assertThat(ran.status()).isEqualTo(1);
    assertThat(ran.err())
        .contains("lines 502 to 1001: not confirmed: unavailable")
        .contains("line 1202, bad: key: 5 characters")
        .contains("from line 502 on")
        .contains("--from-line 502");
    assertThat(ran.out())
        .contains("created 700, the same already 0, replaced 0, refused 1, not confirmed 500");
  }

  @Test
  void aStoppedImportReadsNoFurtherThanItsRequestsUnderWay() throws IOException {
    failing = "m0";
    Ran ran = imported(10_000);
    assertThat(ran.status()).isEqualTo(1);
    assertThat(ran.err()).contains("--from-line 2").doesNotContain("line 10002");
    failing = "";
    Ran rest = imported(10_000, "--from-line", "2");
    assertThat(rest.out()).contains("created 10000").contains("refused 1");
  }
}
