package io.weir.operators.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.testkit.RedisProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A session is one of the cluster: every node knows it, until it ends on all of them; and while Redis is away. */
@Tag("operators")
final class ClusterSessionsIT {
  private static final String POLICY = """
      buckets: [{ name: requests, burstPeriodMs: 1000, throttleGroups: [{ opsPerSec: 10, operations: [Ask] }] }]
      """;
  private static final String EDIT =
      "{\"path\":\"/buckets/requests/burstPeriodMs\",\"value\":2000}";
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private static RedisProcess redis;
  private static NodeFixture one;
  private static NodeFixture two;

  @BeforeAll
  static void start() {
    // With everysec, a write waits for the one that the disk is busy with, and is lost with the
    // process.
    redis = RedisProcess.start("--appendonly", "yes", "--appendfsync", "always");
    one = node();
    two = node();
  }

  @AfterAll
  static void end() {
    one.close();
    two.close();
    redis.close();
  }

  private static NodeFixture node() {
    return NodeFixture.losing(redis.uri(), POLICY, FailureMode.DENY);
  }

  private record Session(String cookie, String csrf) {
    String secret() {
      return cookie.substring(cookie.indexOf('=') + 1);
    }
  }

  private static Session begin(NodeFixture node) {
    HttpResponse<String> answer = node.send(HttpRequest.newBuilder(node.uri("/v1/session"))
        .header("Authorization", "Bearer " + NodeFixture.ADMIN)
        .POST(BodyPublishers.noBody()));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    String cookie = answer.headers().firstValue("Set-Cookie").orElseThrow();
    return new Session(cookie.split(";", 2)[0], NodeFixture.json(answer).getString("csrf"));
  }

  private static HttpResponse<String> send(
      NodeFixture node, String method, String path, Session session) {
    return node.send(HttpRequest.newBuilder(node.uri(path))
        .method(
            method,
            method.equals("PATCH") ? BodyPublishers.ofString(EDIT) : BodyPublishers.noBody())
        .headers("Cookie", session.cookie(), "Weir-Csrf", session.csrf()));
  }

  private static int looks(NodeFixture node, Session session) {
    return send(node, "GET", "/v1/session", session).statusCode();
  }

  private static String code(HttpResponse<String> answer) {
    return NodeFixture.json(answer).getString("code");
  }

  @Test
  void everyNodeKnowsTheSessionAndItSurvivesTheNodeWhereItBegan() {
    NodeFixture dying = node();
    Session session = begin(dying);
    HttpResponse<String> elsewhere = send(two, "GET", "/v1/session", session);
    assertThat(elsewhere.statusCode()).isEqualTo(200);
    assertThat(NodeFixture.json(elsewhere).getString("csrf")).isEqualTo(session.csrf());

    dying.close();

    assertThat(send(two, "PATCH", "/v1/policy?dryRun=true", session).statusCode())
        .isEqualTo(200);
    try (NodeFixture back = node()) {
      assertThat(looks(back, session)).isEqualTo(200);
    }
  }

  @Test
  void aForgedRequestIsRefusedOnEveryNode() {
    Session session = begin(one);
    Session forged = new Session(session.cookie(), begin(one).csrf());

    HttpResponse<String> refused = send(two, "PATCH", "/v1/policy?dryRun=true", forged);
    assertThat(refused.statusCode()).isEqualTo(403);
    assertThat(code(refused)).isEqualTo("csrf_invalid");
    assertThat(send(two, "DELETE", "/v1/session", forged).statusCode()).isEqualTo(403);
    assertThat(looks(one, session)).isEqualTo(200);
  }

  @Test
  void aPathThatDoesNotExistIsSoInASessionToo() {
    assertThat(send(two, "GET", "/v1/policy/revisions/one/two", begin(one)).statusCode())
        .isEqualTo(404);
  }

  @Test
  void signingOutEndsItOnAllNodesWithItsStreams() throws IOException {
    Session session = begin(one);
    InputStream stream = stream(two, session);
    assertThat(stream.read()).isPositive();

    assertThat(send(one, "DELETE", "/v1/session", session).statusCode()).isEqualTo(204);

    assertThat(looks(one, session)).isEqualTo(401);
    assertThat(looks(two, session)).isEqualTo(401);
    assertThat(send(two, "GET", "/v1/policy", session).statusCode()).isEqualTo(401);
    stream.readAllBytes(); // it ends, too
  }

  @Test
  void aStreamByATokenGoesOnBesideACookieOfAnEndedSession() throws IOException {
    Session ended = begin(one);
    assertThat(send(one, "DELETE", "/v1/session", ended).statusCode()).isEqualTo(204);

    try (InputStream stream = stream(two, ended, "Authorization", "Bearer " + NodeFixture.ADMIN)) {
      BufferedReader lines =
          new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8));
      // The second event comes after another look.
      assertThat(lines.lines().filter("event: pulse"::equals).limit(2)).hasSize(2);
    }
  }

  private static InputStream stream(NodeFixture node, Session session, String... headers) {
    try {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(node.uri("/v1/live")).header("Cookie", session.cookie());
      HttpResponse<InputStream> answer = HttpClient.newHttpClient()
          .send(
              (headers.length == 0 ? request : request.headers(headers)).build(),
              BodyHandlers.ofInputStream());
      assertThat(answer.statusCode()).isEqualTo(200);
      return answer.body();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void whoReadsRedisGetsNeitherTokenNorCookie() {
    Session session = begin(one);
    String stored = redis.ask("HGETALL weir:sessions");

    assertThat(stored).contains(" admin ");
    assertThat(stored).doesNotContain(NodeFixture.ADMIN, session.secret(), session.csrf());
  }

  @Test
  void cookiesThatAreMadeUpAskRedisWithinABoundOfTheirNetwork() throws IOException {
    try (NodeFixture asked = node()) { // the bound of the others is left for other tests
      Session known = begin(one);
      assertThat(looks(asked, known)).isEqualTo(200);
      String invented = known.cookie().substring(0, known.cookie().length() - 4);
      int refused = 0;
      for (int i = 0; refused == 0 && i < 5000; i++) {
        Session stranger = new Session("%s%04d".formatted(invented, i), "");
        refused = looks(asked, stranger) == 503 ? 1 : 0;
      }
      assertThat(refused).isEqualTo(1);
      assertThat(looks(asked, known)).isEqualTo(200);
      // A session that this node has not met, from another network.
      assertThat(looksFrom("127.0.0.2", asked, begin(one))).contains("200 OK");
    }
  }

  private static String looksFrom(String address, NodeFixture node, Session session)
      throws IOException {
    try (Socket socket = new Socket()) {
      socket.bind(new InetSocketAddress(address, 0));
      socket.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), node.uri("").getPort()));
      NodeFixture.write(
          socket,
          "GET /v1/session HTTP/1.1\r\nHost: node\r\nConnection: close\r\nCookie: %s\r\n\r\n"
              .formatted(session.cookie()));
      return NodeFixture.read(socket, 20_000);
    }
  }

  @Test
  void signingOutWithCookiesThatAreMadeUpAsksRedisWithinABoundToo() {
    try (NodeFixture asked = node()) { // the bound of the others is left for other tests
      Session known = begin(asked);
      String invented = known.secret().substring(0, known.secret().length() - 4);
      int refused = 0;
      for (int i = 0; refused == 0 && i < 5000; i++) {
        // With a token of its own, a request is not looked up before it gets to the door.
        refused = signOutWithToken(asked, madeUp("%s%04d".formatted(invented, i))) == 503 ? 1 : 0;
      }
      assertThat(refused).isEqualTo(1);
      assertThat(send(asked, "DELETE", "/v1/session", known).statusCode()).isEqualTo(204);
    }
  }

  private static int signOutWithToken(NodeFixture node, Session session) {
    return node.send(HttpRequest.newBuilder(node.uri("/v1/session"))
            .DELETE()
            .headers("Cookie", session.cookie(), "Weir-Csrf", session.csrf())
            .header("Authorization", "Bearer none"))
        .statusCode();
  }

  // A caller that makes up a cookie can derive its second secret.
  private static Session madeUp(String secret) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(Base64.getUrlDecoder().decode(secret), "HmacSHA256"));
      byte[] csrf = mac.doFinal("csrf".getBytes(StandardCharsets.UTF_8));
      return new Session(
          "weir-session=" + secret, Base64.getUrlEncoder().withoutPadding().encodeToString(csrf));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void withoutRedisANodeGoesOnWithTheSessionsThatItKnows() {
    Session session = begin(one);
    assertThat(looks(one, session)).isEqualTo(200);
    redis.kill();

    assertThat(looks(one, session)).isEqualTo(200);
    HttpResponse<String> unknown = send(two, "GET", "/v1/session", session);
    assertThat(unknown.statusCode()).isEqualTo(503);
    assertThat(code(unknown)).isEqualTo("session_uncertain");
    Session late = begin(one);
    assertThat(looks(one, late)).isEqualTo(200);

    HttpResponse<String> open = send(one, "DELETE", "/v1/session", session);
    assertThat(open.statusCode()).isEqualTo(503);
    assertThat(code(open)).isEqualTo("session_not_ended");
    assertThat(open.headers().firstValue("Set-Cookie")).isEmpty();
    assertThat(looks(one, session)).isEqualTo(200);

    redis.restart();
    Awaitility.await().atMost(PATIENCE).until(() -> looks(one, session) == 200);
    assertThat(looks(one, late)).isEqualTo(200);
    Awaitility.await().atMost(PATIENCE).until(() -> looks(two, late) == 401);
    for (Session each : new Session[] {session, late}) {
      assertThat(send(one, "DELETE", "/v1/session", each).statusCode()).isEqualTo(204);
      assertThat(looks(one, each)).isEqualTo(401);
    }
    assertThat(looks(two, session)).isEqualTo(401);
  }
}
