package io.weir.node.resp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.weir.node.config.Tls;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import io.weir.testkit.CommandRun;
import io.weir.testkit.FreePorts;
import io.weir.testkit.TestCertificate;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
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

  @AutoClose
  private static NodeFixture fixture;

  @BeforeAll
  static void start() throws IOException {
    port = FreePorts.one();
    fixture = NodeFixture.withResp(POLICY, port);
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
    assertThat(
            exchange("AUTH " + NodeFixture.SERVICE + "\r\n" + "PING\r\n".repeat(1000) + "QUIT\r\n"))
        .isEqualTo("+OK\r\n" + "+PONG\r\n".repeat(1000) + "+OK\r\n");
  }

  @Test
  void strangersHaveFewCommands() throws IOException {
    assertThat(exchange("PING\r\n".repeat(101)))
        .isEqualTo("+PONG\r\n".repeat(100) + "-NOAUTH Authentication required.\r\n");
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
            + "HELLO 4\r\nGET x\r\nMULTI\r\nWEIR.CHECK k3 Ping\r\nQUIT\r\n"))
        .startsWith("%7\r\n$6\r\nserver\r\n$4\r\nweir\r\n")
        .contains("+OK\r\n+OK\r\n-ERR DB index is out of range\r\n*0\r\n-NOPROTO ")
        .contains(
            "-ERR unknown command",
            "-ERR no transactions",
            "%11\r\n$8\r\ndecision\r\n$7\r\nallowed\r\n",
            "_\r\n");
  }

  @Test
  void aClientHasTheNamesThatItGave() throws IOException {
    assertThat(exchange("AUTH " + NodeFixture.SERVICE + """
            \r
            CLIENT GETNAME\r
            CLIENT SETNAME worker-7\r
            client getname\r
            CLIENT SETNAME\r
            CLIENT SETINFO LIB-NAME lettuce\r
            CLIENT SETINFO lib-ver 6.5\r
            CLIENT SETINFO colour red\r
            CLIENT NO-EVICT ON\r
            CLIENT NO-TOUCH ON\r
            CLIENT KILL ID 1\r
            *3\r
            $6\r
            CLIENT\r
            $7\r
            SETNAME\r
            $3\r
            a b\r
            QUIT\r
            """)).isEqualTo("""
            +OK\r
            $-1\r
            +OK\r
            $8\r
            worker-7\r
            -ERR wrong number of arguments for 'client|setname' command\r
            +OK\r
            +OK\r
            -ERR CLIENT SETINFO: (expected: LIB-NAME or LIB-VER, and a value)\r
            +OK\r
            +OK\r
            -ERR unknown subcommand of CLIENT\r
            -ERR names of clients have no spaces and no special characters\r
            +OK\r
            """);
    assertThat(exchange("HELLO 3 AUTH default " + NodeFixture.SERVICE
            + "\r\nCLIENT GETNAME\r\nHELLO 3 SETNAME me\r\nCLIENT GETNAME\r\nQUIT\r\n"))
        .contains("_\r\n%7\r\n")
        .endsWith("$2\r\nme\r\n+OK\r\n");
  }

  @Test
  void aClientSeesItsOwnConnectionAlone() throws IOException {
    String asks = "AUTH " + NodeFixture.SERVICE + "\r\nCLIENT SETNAME first\r\nCLIENT ID\r\n";
    try (Socket other = new Socket(InetAddress.getLoopbackAddress(), port)) {
      other.setSoTimeout(READ_MILLIS);
      other.getOutputStream().write(asks.getBytes(ISO_8859_1));
      assertThat(other.getInputStream().readNBytes(11)).asString().isEqualTo("+OK\r\n+OK\r\n:");
      String answers = exchange("HELLO 3 AUTH default " + NodeFixture.SERVICE + """
           SETNAME second\r
          CLIENT SETINFO LIB-NAME lib\r
          CLIENT SETINFO LIB-VER 2\r
          CLIENT ID\r
          CLIENT INFO\r
          CLIENT LIST\r
          CLIENT LIST TYPE normal\r
          QUIT\r
          """);
      String own = "id=\\1 addr=127\\.0\\.0\\.1:\\d+ laddr=127\\.0\\.0\\.1:" + port
          + " name=second age=\\d+ idle=0 flags=N db=0 .*cmd=client\\|%s user=default redir=-1 resp=3"
          + " lib-name=lib lib-ver=2\n\r\n";
      assertThat(answers)
          .matches("(?s).*:(\\d+)\r\n\\$\\d+\r\n" + own.formatted("info") + "\\$\\d+\r\n"
              + own.formatted("list") + "-ERR syntax error in CLIENT LIST\r\n\\+OK\r\n")
          .doesNotContain("first");
    }
  }

  @Test
  void everyConnectionHasAnIdOfItsOwn() throws IOException {
    String asks = "AUTH " + NodeFixture.SERVICE + "\r\nCLIENT ID\r\nQUIT\r\n";
    assertThat(List.of(exchange(asks), exchange(asks), exchange(asks))).doesNotHaveDuplicates();
  }

  @Test
  void theNodeDescribesItselfAsClientsExpect() throws IOException {
    String all = "server:weir\r\nredis_version:7.0.0\r\nredis_mode:standalone\r\ntcp_port:" + port;
    assertThat(
            exchange(
                "AUTH " + NodeFixture.SERVICE
                    + "\r\nINFO\r\nINFO replication\r\nINFO memory\r\nCOMMAND COUNT\r\nCOMMAND LIST\r\nQUIT\r\n"))
        .contains("# Server\r\n" + all + "\r\n", "loading:0\r\n", "cluster_enabled:0\r\n")
        .contains("\r\n$28\r\n# Replication\r\nrole:master\r\n\r\n$0\r\n\r\n:12\r\n*12\r\n");
  }

  @Test
  void everyCommandOfTheListIsAnswered() throws IOException {
    String list = exchange("AUTH " + NodeFixture.SERVICE + "\r\nCOMMAND LIST\r\nQUIT\r\n");
    List<String> commands = Pattern.compile("(?m)^[a-z.]+(?=\r)")
        .matcher(list)
        .results()
        .map(MatchResult::group)
        .toList();
    assertThat(commands).hasSize(12);
    for (String command : commands) {
      assertThat(exchange("AUTH " + NodeFixture.SERVICE + "\r\n" + command + "\r\nQUIT\r\n"))
          .doesNotContain("unknown command");
    }
  }

  @Test
  void thePortHasTheTlsOfCallers() throws IOException {
    int ownPort = FreePorts.one();
    try (TestCertificate certificate = TestCertificate.of("localhost")) {
      Tls tls = new Tls(certificate.certificate(), certificate.key(), Optional.empty());
      try (NodeFixture secured = NodeFixture.withResp(POLICY, ownPort, Optional.of(tls))) {
        assertThat(secured.node()).isNotNull();
        RedisClient client = RedisClient.create(RedisURI.builder()
            .withHost("localhost")
            .withPort(ownPort)
            .withSsl(true)
            .withPassword(NodeFixture.SERVICE.toCharArray())
            .build());
        client.setOptions(ClientOptions.builder()
            .sslOptions(SslOptions.builder()
                .trustManager(certificate.certificate().toFile())
                .build())
            .build());
        try (StatefulRedisConnection<String, String> redis = client.connect()) {
          assertThat(check(redis, "k1", "Ping")).startsWith("decision", "allowed");
        } finally {
          client.shutdown();
        }
      }
    }
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
