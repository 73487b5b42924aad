package io.weir.node.resp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import io.weir.testkit.CommandRun;
import io.weir.testkit.FreePorts;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Clients of Redis at the node: a real one, and bytes that none would send. */
final class RespIT {
  // Slow, so that nothing drains during a test.
  private static final String POLICY = """
      operations:
        - { name: Ping, match: { method: GET, path: /ping } }
        - { name: Stream, match: { path: /stream } }
        - { name: Soon, match: { path: /soon } }
        - { name: Late, match: { path: /late } }
      buckets:
        - { name: soon, burstPeriodMs: 100, throttleGroups: [{ opsPerSec: 10, operations: [Soon] }] }
        - { name: late, burstPeriod: 30, throttleGroups: [{ milliOpsPerSec: 34, operations: [Late] }] }
        - { name: five, burstPeriod: 3600, throttleGroups: [{ milliOpsPerSec: 2, operations: [Ping] }] }
      permits: [{ name: streams, limit: 3, operations: [Stream] }]
      requestLimits: { default: { maxAtOnce: 1000 } }
      upstream: { url: "http://127.0.0.1:UPSTREAM" }
      subjects:
      """
      + TestPolicies.subject("k1", "")
      + TestPolicies.subject("k2", "")
      + TestPolicies.subject("k3", "")
      + TestPolicies.subject("k4", "")
      + TestPolicies.subject("k5", "")
      + TestPolicies.subject("k6", "")
      + TestPolicies.subject("k7", "");
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final int READ_MILLIS = 10_000;
  private static final Pattern HELD =
      Pattern.compile("(?m)^throttle_held_requests(?:\\{[^}]*})? (\\S+)$");

  private static int port;
  private static NodeFixture fixture;

  @BeforeAll
  static void start() throws IOException {
    port = FreePorts.one();
    fixture = NodeFixture.withResp(POLICY, port);
  }

  @AfterAll
  static void stop() {
    fixture.close();
  }

  @Test
  void aClientOfRedisSharesTheLimitWithTheGateway() {
    RedisURI uri = RedisURI.builder()
        .withHost("127.0.0.1")
        .withPort(port)
        .withPassword(NodeFixture.SERVICE.toCharArray())
        .build();
    RedisClient client = RedisClient.create(uri);
    try (StatefulRedisConnection<String, String> redis = client.connect()) {
      assertThat(redis.sync().ping()).isEqualTo("PONG");
      assertThat(check(redis, "k1", "Ping", "3"))
          .startsWith("decision", "allowed", "wait_us", 0L)
          .containsSequence("remaining", 4L);
      assertThat(fixture.get("/ping", "X-Api-Key", TestPolicies.key("k1")).statusCode())
          .isEqualTo(200);
      List<Object> denied = check(redis, "k1", "Ping", "4", "TICKET", "NEW");
      assertThat(denied).startsWith("decision", "denied");
      assertThat((long) denied.get(3)).isBetween(1L, 400_000_000L);
      assertThat(String.valueOf(denied.get(7))).hasSizeGreaterThan(20); // the ticket
      assertThat(check(redis, "k1", "Ping", "100")).startsWith("decision", "never", "wait_us", -1L);
      assertThatThrownBy(() -> check(redis, "nobody", "Ping"))
          .isInstanceOf(RedisCommandExecutionException.class)
          .hasMessageStartingWith("SUBJECT_UNKNOWN ");
      assertThatThrownBy(() -> check(redis, "k1", "Stream"))
          .hasMessageStartingWith("RESERVATION_NEEDED ");
      assertThatThrownBy(() -> check(redis, "k1")).hasMessageContaining("usage");
      assertThatThrownBy(() -> check(redis, "k1", "Ping", "0")).hasMessageContaining("cost");
    } finally {
      client.shutdown();
    }
  }

  @Test
  void answersComeInTheOrderOfTheCommands() throws IOException {
    StringBuilder commands = new StringBuilder("AUTH " + NodeFixture.SERVICE + "\r\n");
    StringBuilder expected = new StringBuilder("+OK\r\n");
    for (int i = 0; i < 2000; i++) {
      commands.append("WEIR.CHECK k2 Ping 8\r\nPING ").append(i).append("\r\n");
      String number = Integer.toString(i);
      expected.append('$').append(number.length()).append("\r\n").append(number).append("\r\n");
    }
    String answers = exchange(commands + "QUIT\r\n");
    assertThat(answers.replaceAll(
            "(?s)\\*22\r\n\\$8\r\ndecision\r\n.*?\\$8\r\nrevision\r\n:\\d+\r\n\\$7\r\ngranted\r\n\\$-1\r\n",
            ""))
        .isEqualTo(expected + "+OK\r\n");
    assertThat(answers.split("\ndecision\r", -1)).hasSize(2001);
  }

  @Test
  void aPipelineLongerThanAConnectionMayHaveOpenIsAnsweredWhole() throws IOException {
    assertThat(exchange("PING\r\n".repeat(1000) + "QUIT\r\n"))
        .isEqualTo("+PONG\r\n".repeat(1000) + "+OK\r\n");
  }

  @Test
  void aNodeThatStopsDoesNotWaitForIdleClients() throws IOException {
    int ownPort = FreePorts.one();
    try (Socket idle = new Socket()) {
      try (NodeFixture stopping = NodeFixture.withResp(POLICY, ownPort)) {
        idle.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), ownPort));
        idle.setSoTimeout(READ_MILLIS);
        idle.getOutputStream().write("PING\r\n".getBytes(ISO_8859_1));
        assertThat(idle.getInputStream().readNBytes(7)).asString().isEqualTo("+PONG\r\n");
        CompletableFuture<Void> stopped = CompletableFuture.runAsync(stopping.node()::close);
        assertThat(idle.getInputStream().read()).isEqualTo(-1);
        stopped.join();
      }
    }
  }

  private CommandRun redisCli(String... words) {
    assumeTrue(
        CommandRun.of(TIMEOUT, "redis-cli", "--version").succeeded(),
        "skipped: no redis-cli is here");
    List<String> command = new ArrayList<>(List.of(
        "redis-cli", "-p", Integer.toString(port), "--no-auth-warning", "-a", NodeFixture.SERVICE));
    command.addAll(List.of(words));
    return CommandRun.of(TIMEOUT, command.toArray(String[]::new));
  }

  @Test
  void redisCliAsks() {
    CommandRun run = redisCli("WEIR.CHECK", "k3", "Ping", "9", "TICKET", "NEW");
    assertThat(run.output()).startsWith("decision\nnever\nwait_us\n-1\nestimate\n0\n");
  }

  @Test
  void aCheckMayWaitForItsSlotAndIsAnsweredInItsTurn() throws IOException {
    String answers = exchange("AUTH " + NodeFixture.SERVICE + "\r\n"
        + "WEIR.CHECK k1 Soon 1 WAIT 60000\r\nPING 1\r\n".repeat(4)
        + "WEIR.CHECK k1 Late WAIT 10\r\nWEIR.CHECK k1 Late WAIT 10 TICKET NEW\r\n"
        + "WEIR.CHECK k1 Soon WAIT\r\nWEIR.CHECK k1 Soon WAIT 1 WAIT 1\r\n"
        + "WEIR.CHECK k1 Soon WAIT 60001\r\nQUIT\r\n");
    assertThat(answers.split("\\$7\r\nallowed\r\n(?s:.*?)\\$1\r\n1\r\n", -1)).hasSize(5);
    assertThat(answers)
        .containsOnlyOnce("$6\r\ndenied\r\n")
        .endsWith("-ERR usage: WEIR.CHECK subject operation [cost] [ATLEAST least]"
            + " [TICKET ticket|NEW] [WAIT milliseconds]\r\n"
            + "-ERR usage: WEIR.CHECK subject operation [cost] [ATLEAST least]"
            + " [TICKET ticket|NEW] [WAIT milliseconds]\r\n"
            + "-ERR WAIT: (expected: a whole number from 0 to 60000)\r\n+OK\r\n");
  }

  @Test
  void aCheckMayTakeWhatIsLeft() throws IOException {
    String answers = exchange("AUTH " + NodeFixture.SERVICE + "\r\n"
        + "WEIR.CHECK k7 Ping 5 ATLEAST 1\r\nWEIR.CHECK k7 Ping 5 atleast 2 WAIT 0\r\n"
        + "WEIR.CHECK k7 Ping 5 ATLEAST 2\r\nWEIR.CHECK k7 Ping ATLEAST 2\r\n"
        + "WEIR.CHECK k7 Ping 2 ATLEAST 3\r\nQUIT\r\n");
    assertThat(answers)
        .containsSubsequence(
            "allowed\r\n",
            "granted\r\n:5\r\n",
            "allowed\r\n",
            "granted\r\n:2\r\n",
            "denied\r\n",
            "granted\r\n$-1\r\n")
        .endsWith("""
            -ERR ATLEAST: (expected: a cost)\r
            -ERR ATLEAST: (expected: a whole number from 1 to 2)\r
            +OK\r
            """);
  }

  @Test
  void aClientThatGoesIsNotWaitedFor() throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket
          .getOutputStream()
          .write(("AUTH " + NodeFixture.SERVICE + "\r\n"
                  + "WEIR.CHECK k2 Late\r\nWEIR.CHECK k2 Late WAIT 60000\r\n")
              .getBytes(ISO_8859_1));
      await().until(() -> held() == 1);
    }
    await().until(() -> held() == 0);
  }

  private static int held() {
    return HELD.matcher(fixture.get("/metrics").body())
        .results()
        .mapToInt(row -> (int) Double.parseDouble(row.group(1)))
        .sum();
  }

  @Test
  void aCommandMayCarryItsLimit() throws IOException {
    String hourly = "CL.THROTTLE k4 1 1 3600\r\n";
    String more = """
        cl.throttle k4 1 1 3600 3\r
        CL.THROTTLE k4 1 1 3600\r
        CL.THROTTLE k4 1000 1 1\r
        QUIT\r
        """;
    String looks = "CL.THROTTLE k4 1 1 3600 0\r\n";
    String answers =
        exchange("AUTH " + NodeFixture.SERVICE + "\r\n" + looks + hourly + hourly + more);
    assertThat(answers).startsWith("""
            +OK\r
            *5\r
            :0\r
            :2\r
            :2\r
            :-1\r
            :0\r
            *5\r
            :0\r
            :2\r
            :1\r
            :-1\r
            :3600\r
            *5\r
            :0\r
            :2\r
            :0\r
            :-1\r
            :7200\r
            *5\r
            :1\r
            :2\r
            :0\r
            :-1\r
            :7200\r
            *5\r
            :1\r
            :2\r
            :0\r
            :""").endsWith("""
            -LIMIT_REFUSED max_burst: 1000 and one at once (expected: at most 1000 at once)\r
            +OK\r
            """);
  }

  @Test
  void limitsThatCommandsCarryAreApartFromThoseOfThePlan() {
    RedisURI uri = RedisURI.builder()
        .withHost("127.0.0.1")
        .withPort(port)
        .withPassword(NodeFixture.SERVICE.toCharArray())
        .build();
    RedisClient client = RedisClient.create(uri);
    try (StatefulRedisConnection<String, String> redis = client.connect()) {
      assertThat(ask(redis, "CL.THROTTLE", "k5", "15", "30", "3600"))
          .containsExactly(0L, 16L, 15L, -1L, 120L);
      assertThat(check(redis, "k5", "Ping", "3")).containsSequence("remaining", 4L);
      List<Long> waits = new ArrayList<>();
      assertThat(ask(redis, "CL.THROTTLE", "k5", "15", "30", "3600", "15"))
          .startsWith(0L, 16L, 0L, -1L);
      for (int i = 0; i < 5; i++) {
        List<Object> denied = ask(redis, "CL.THROTTLE", "k5", "15", "30", "3600");
        assertThat(denied).startsWith(1L, 16L, 0L);
        waits.add((Long) denied.get(3));
      }
      assertThat(waits).doesNotHaveDuplicates().allMatch(wait -> wait > 100 && wait < 1000);
    } finally {
      client.shutdown();
    }
  }

  @Test
  void redisCliCarriesALimit() {
    CommandRun run = redisCli("CL.THROTTLE", "k6", "15", "30", "60");
    assertThat(run.output()).isEqualTo("0\n16\n15\n-1\n2\n");
  }

  @Test
  void strangersMayOnlyShowTheToken() throws IOException {
    assertThat(exchange("WEIR.CHECK k3 Ping\r\nINFO\r\nHELLO 3\r\nPING\r\nQUIT\r\n"))
        .isEqualTo("-NOAUTH Authentication required.\r\n".repeat(2)
            + "-NOAUTH HELLO must be called with AUTH, or after it\r\n+PONG\r\n+OK\r\n");
    assertThat(exchange("AUTH x\r\nAUTH user y\r\nHELLO 3 AUTH user z\r\nPING\r\n"))
        .isEqualTo("-WRONGPASS this is not the service token\r\n".repeat(3));
  }

  @Test
  void bytesThatAreNoCommandEndTheConnection() throws IOException {
    assertThat(exchange("PING\r\n*1\r\nPING\r\n"))
        .isEqualTo("+PONG\r\n-ERR Protocol error: expected '$'\r\n");
    assertThat(exchange("GET / HTTP/1.1\r\nHost: x\r\n\r\nQUIT\r\n"))
        .isEqualTo("-NOAUTH Authentication required.\r\n".repeat(2) + "+OK\r\n");
  }

  @Test
  void whatClientsSendWhenTheyConnectIsAnswered() throws IOException {
    assertThat(exchange("HELLO 3 AUTH default " + NodeFixture.SERVICE
            + " SETNAME me\r\nCLIENT SETINFO LIB-NAME x\r\nSELECT 0\r\nSELECT 1\r\nCOMMAND DOCS\r\n"
            + "HELLO 4\r\nGET x\r\nWEIR.CHECK k3 Ping\r\nQUIT\r\n"))
        .startsWith("%6\r\n$6\r\nserver\r\n$4\r\nweir\r\n")
        .contains("+OK\r\n+OK\r\n-ERR DB index is out of range\r\n*0\r\n-NOPROTO ")
        .contains("-ERR unknown command", "%11\r\n$8\r\ndecision\r\n$7\r\nallowed\r\n", "_\r\n");
  }

  @Test
  void strangersTakeNoConnectionsFromServices() throws IOException {
    List<Socket> strangers = new ArrayList<>();
    try (Socket service = new Socket(InetAddress.getLoopbackAddress(), port)) {
      service.setSoTimeout(READ_MILLIS);
      service
          .getOutputStream()
          .write(("AUTH " + NodeFixture.SERVICE + "\r\n").getBytes(ISO_8859_1));
      assertThat(service.getInputStream().readNBytes(5)).asString().isEqualTo("+OK\r\n");
      for (int i = 0; i < 450; i++) {
        strangers.add(new Socket(InetAddress.getLoopbackAddress(), port));
      }
      Socket oldest = strangers.get(0);
      oldest.setSoTimeout(READ_MILLIS);
      assertThat(oldest.getInputStream().read()).as("the end").isEqualTo(-1);
      try (Socket late = new Socket(InetAddress.getLoopbackAddress(), port)) {
        late.setSoTimeout(READ_MILLIS);
        late.getOutputStream().write(("AUTH " + NodeFixture.SERVICE + "\r\n").getBytes(ISO_8859_1));
        assertThat(late.getInputStream().readNBytes(5)).asString().isEqualTo("+OK\r\n");
      }
      service.getOutputStream().write("PING\r\n".getBytes(ISO_8859_1));
      assertThat(service.getInputStream().readNBytes(7)).asString().isEqualTo("+PONG\r\n");
    } finally {
      for (Socket stranger : strangers) {
        stranger.close();
      }
    }
  }

  private static List<Object> check(
      StatefulRedisConnection<String, String> redis, String... words) {
    return ask(redis, "WEIR.CHECK", words);
  }

  private static List<Object> ask(
      StatefulRedisConnection<String, String> redis, String command, String... words) {
    CommandArgs<String, String> arguments = new CommandArgs<>(StringCodec.ASCII);
    for (String word : words) {
      arguments.add(word);
    }
    return redis
        .sync()
        .dispatch(
            () -> command.getBytes(ISO_8859_1),
            new NestedMultiOutput<>(StringCodec.ASCII),
            arguments);
  }

  // All that a connection is answered until the node closes it.
  private static String exchange(String commands) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(READ_MILLIS);
      Thread writer = new Thread(() -> {
        try {
          socket.getOutputStream().write(commands.getBytes(ISO_8859_1));
        } catch (IOException e) {
          // the node closed the connection: the answers tell why
        }
      });
      writer.start();
      ByteArrayOutputStream answers = new ByteArrayOutputStream();
      InputStream in = socket.getInputStream();
      in.transferTo(answers);
      return answers.toString(ISO_8859_1);
    }
  }
}
