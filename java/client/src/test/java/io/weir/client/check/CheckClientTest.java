package io.weir.client.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.weir.client.check.Checked.Outcome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a client does with nodes that answer well, badly, late or not at all. */
final class CheckClientTest {
  private static final String ALLOWED =
      "{\"decision\":\"allowed\",\"full\":[],\"retryAfterMs\":0,\"limits\":[{\"bucket\":\"b\"}],\"revision\":7}";
  private static final String DENIED =
      "{\"decision\":\"denied\",\"full\":[\"requests\"],\"retryAfterMs\":1500,\"estimate\":false,"
          + "\"ticket\":\"t1\",\"id\":\"abc\",\"degraded\":true,\"revision\":7}";

  private final List<String> bodies = new CopyOnWriteArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.start();
  }

  @AfterEach
  void end() {
    server.stop(0);
    threads.shutdownNow();
  }

  private interface Answer {
    void to(HttpExchange exchange, int checks) throws IOException;
  }

  private CheckClient client(Answer answer, CheckOptions options) {
    server.createContext("/v1/check", exchange -> {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      bodies.add(body);
      answer.to(exchange, body.split("\"operation\"", -1).length - 1);
    });
    return client(options, here());
  }

  private static CheckClient client(CheckOptions options, URI... nodes) {
    HttpClient http =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    return new CheckClient(http, List.of(nodes), options);
  }

  private URI here() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  private static void send(HttpExchange exchange, int status, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private static void decide(HttpExchange exchange, int checks, String decision)
      throws IOException {
    send(
        exchange,
        200,
        "{\"decisions\":[%s]}".formatted(String.join(",", Collections.nCopies(checks, decision))));
  }

  private static CheckException failure(CompletableFuture<Checked> answer) {
    Throwable error = answer.handle((checked, failure) -> failure).join();
    Throwable cause = error instanceof CompletionException ? error.getCause() : error;
    assertThat(cause).isInstanceOf(CheckException.class);
    return (CheckException) Objects.requireNonNull(cause);
  }

  @Test
  void aCheckMayAcceptLessThanItsCost() {
    CheckClient client = client(
        (exchange, checks) -> decide(
            exchange,
            checks,
            "{\"decision\":\"allowed\",\"full\":[],\"retryAfterMs\":0,\"granted\":4,\"limits\":[]}"),
        CheckOptions.DEFAULT);
    Checked checked =
        client.check(Check.ofKey("k1.s", "Ask").costing(9).atLeast(2)).join();
    assertThat(checked.granted()).hasValue(4);
    assertThat(bodies).allSatisfy(body -> assertThat(body).contains("\"cost\":9,\"atLeast\":2"));
    assertThatThrownBy(() -> Check.ofKey("k1.s", "Ask").atLeast(1))
        .hasMessage("atLeast: (expected: 1 to the cost)");
    assertThatThrownBy(() -> Check.ofKey("k1.s", "Ask").costing(9).atLeast(10))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void whatWasDecided() {
    CheckClient client =
        client((exchange, checks) -> decide(exchange, checks, DENIED), CheckOptions.DEFAULT);
    Checked denied =
        client.check(Check.ofKey("k1.s", "Ask").costing(3).wantingTicket()).join();
    assertThat(denied.isAllowed()).isFalse();
    assertThat(denied.outcome()).isEqualTo(Outcome.DENIED);
    assertThat(denied.full()).containsExactly("requests");
    assertThat(denied.retryAfter()).isEqualTo(Duration.ofMillis(1500));
    assertThat(denied.ticket()).hasValue("t1");
    assertThat(denied.id()).hasValue("abc");
    assertThat(denied.isDegraded()).isTrue();
    assertThat(denied.revision()).isEqualTo(7);
    client.check(Check.ofSubject("k1", "Ask").showing("t1")).join();
    assertThat(bodies)
        .containsExactly(
            "{\"checks\":[{\"key\":\"k1.s\",\"operation\":\"Ask\",\"cost\":3,\"ticket\":true}]}",
            "{\"checks\":[{\"subject\":\"k1\",\"operation\":\"Ask\",\"ticket\":\"t1\"}]}");
  }

  @Test
  void whatIsAskedMeanwhileTravelsTogether() throws InterruptedException {
    CountDownLatch go = new CountDownLatch(1);
    CheckClient client = client(
        (exchange, checks) -> {
          await(go);
          decide(exchange, checks, ALLOWED);
        },
        CheckOptions.DEFAULT.with(o -> o.inFlight(1).timeout(Duration.ofSeconds(30))));
    List<CompletableFuture<Checked>> answers = new ArrayList<>();
    for (int i = 0; i < 1101; i++) {
      answers.add(client.check(Check.ofSubject("k" + i, "Ask")));
    }
    go.countDown();
    assertThat(answers.stream().map(CompletableFuture::join)).allMatch(Checked::isAllowed);
    assertThat(bodies.stream().map(body -> body.split("\"operation\"", -1).length - 1))
        .containsExactly(1, 500, 500, 100);
  }

  private static void await(CountDownLatch go) {
    try {
      assertThat(go.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void oneBadKeyDoesNotFailTheOthers() {
    CountDownLatch go = new CountDownLatch(1);
    CheckClient client = client(
        (exchange, checks) -> {
          await(go);
          if (bodies.get(bodies.size() - 1).contains("bad")) {
            send(
                exchange,
                401,
                "{\"type\":\"about:blank\",\"code\":\"key_invalid\",\"errors\":[\"checks[1].key\"]}");
          } else {
            decide(exchange, checks, ALLOWED);
          }
        },
        CheckOptions.DEFAULT.with(o -> o.inFlight(1).timeout(Duration.ofSeconds(30))));
    List<CompletableFuture<Checked>> answers = new ArrayList<>();
    for (String key : List.of("first", "good.1", "bad.2", "good.3")) {
      answers.add(client.check(Check.ofKey(key, "Ask")));
    }
    go.countDown();
    assertThat(failure(answers.get(2)).code()).isEqualTo("key_invalid");
    for (int i : new int[] {0, 1, 3}) {
      assertThat(answers.get(i).join().isAllowed()).isTrue();
    }
    assertThat(bodies).hasSize(3);
  }

  @Test
  void whatIsUndecidedIsWhatTheCallerChose() {
    Answer away = (exchange, checks) -> send(exchange, 503, "{\"code\":\"unavailable\"}");
    Check check = Check.ofSubject("k1", "Ask");
    CheckClient failing = client(away, CheckOptions.DEFAULT);
    assertThat(failure(failing.check(check)).code()).isEqualTo(CheckException.UNDECIDED);
    Checked allowed = client(CheckOptions.DEFAULT.with(o -> o.outage(OutageMode.ALLOW)), here())
        .check(check)
        .join();
    assertThat(allowed.isAllowed()).isTrue();
    assertThat(allowed.isDecided()).isFalse();
    Checked denied = client(
            CheckOptions.DEFAULT.with(
                o -> o.outage(OutageMode.DENY).retryAfter(Duration.ofSeconds(3))),
            here())
        .check(check)
        .join();
    assertThat(denied.isAllowed()).isFalse();
    assertThat(denied.retryAfter()).isEqualTo(Duration.ofSeconds(3));
  }

  @Test
  void aCheckOfAListThatANodeCouldNotDecideIsUndecidedAlone() {
    CheckClient client = client(
        (exchange, checks) -> send(
            exchange,
            200,
            "{\"decisions\":[{\"problem\":{\"status\":503,\"code\":\"store_unavailable\",\"title\":\"x\"}}]}"),
        CheckOptions.DEFAULT.with(o -> o.outage(OutageMode.ALLOW)));
    assertThat(client.check(Check.ofSubject("k1", "Ask")).join().outcome())
        .isEqualTo(Outcome.ALLOWED_UNDECIDED);
  }

  @Test
  void whatNeedsAReservationIsRefused() {
    CheckClient client = client(
        (exchange, checks) -> send(
            exchange,
            200,
            "{\"decisions\":[{\"problem\":{\"status\":409,\"code\":\"reservation_needed\"}}]}"),
        CheckOptions.DEFAULT.with(o -> o.outage(OutageMode.ALLOW)));
    assertThat(failure(client.check(Check.ofSubject("k1", "Ask"))).code())
        .isEqualTo("reservation_needed");
  }

  @Test
  void aSubjectThatIsGoneIsRefusedWhateverTheCallerChoseForOutages() {
    CheckClient client = client(
        (exchange, checks) -> send(
            exchange,
            200,
            "{\"decisions\":[{\"problem\":{\"status\":404,\"code\":\"subject_unknown\"}}]}"),
        CheckOptions.DEFAULT.with(o -> o.outage(OutageMode.ALLOW)));
    assertThat(failure(client.check(Check.ofSubject("k1", "Ask"))).code())
        .isEqualTo("subject_unknown");
  }

  @Test
  void aNodeThatIsDownIsPassedOverAndNotAskedAgain() throws IOException {
    HttpServer gone =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    URI down = URI.create("http://127.0.0.1:" + gone.getAddress().getPort());
    gone.start();
    gone.stop(0);
    CheckClient any =
        client((exchange, checks) -> decide(exchange, checks, ALLOWED), CheckOptions.DEFAULT);
    assertThat(any.check(Check.ofSubject("k1", "Ask")).join().isAllowed()).isTrue();
    CheckClient two = client(CheckOptions.DEFAULT, down, here());
    for (int i = 0; i < 5; i++) {
      assertThat(two.check(Check.ofSubject("k1", "Ask")).join().isAllowed()).isTrue();
    }
    assertThat(failure(client(CheckOptions.DEFAULT, down).check(Check.ofSubject("k", "Ask"))))
        .hasMessageContaining("undecided");
  }

  @Test
  void aNodeThatDoesNotAnswerIsNotAskedTwice() {
    CountDownLatch never = new CountDownLatch(1);
    CheckClient client = client(
        (exchange, checks) -> {
          exchange.sendResponseHeaders(200, 0); // a head, and no body
          exchange.getResponseBody().flush();
          await(never);
        },
        CheckOptions.DEFAULT.with(o -> o.timeout(Duration.ofMillis(200))));
    assertThat(failure(client.check(Check.ofSubject("k1", "Ask"))).code())
        .isEqualTo(CheckException.UNDECIDED);
    assertThat(bodies).hasSize(1);
    never.countDown();
  }

  @Test
  void garbageIsUndecided() {
    CheckClient client = client(
        (exchange, checks) -> send(exchange, 200, "{\"decisions\":[{\"decision\":\"maybe\"}"),
        CheckOptions.DEFAULT);
    assertThat(failure(client.check(Check.ofSubject("k1", "Ask"))).code())
        .isEqualTo(CheckException.UNDECIDED);
  }

  @Test
  void whatWaitsIsBounded() {
    CountDownLatch go = new CountDownLatch(1);
    CheckClient client = client(
        (exchange, checks) -> {
          await(go);
          decide(exchange, checks, ALLOWED);
        },
        CheckOptions.DEFAULT.with(
            o -> o.inFlight(1).mostWaiting(3).timeout(Duration.ofSeconds(30))));
    List<CompletableFuture<Checked>> answers = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      answers.add(client.check(Check.ofSubject("k1", "Ask")));
    }
    assertThat(failure(answers.get(4))).hasMessageContaining("too many checks wait");
    go.countDown();
    assertThat(answers.get(3).join().isAllowed()).isTrue();
  }

  @Test
  void whatANodeWouldRefuseIsNotSent() {
    assertThatThrownBy(() -> Check.ofKey("a secret key", "Ask"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("secret");
    assertThatThrownBy(() -> Check.ofSubject("k1", "no operation"))
        .hasMessageContaining("operation");
    assertThatThrownBy(() -> Check.ofSubject("k1", "Ask").costing(0)).hasMessageContaining("cost");
    assertThatThrownBy(() -> CheckOptions.DEFAULT.with(o -> o.inFlight(0)))
        .hasMessageContaining("inFlight");
    assertThat(Check.ofKey("k1.secret", "Ask").toString()).doesNotContain("secret");
    assertThat(CheckOptions.DEFAULT.with(o -> o.serviceToken("secret")).toString())
        .doesNotContain("secret");
  }
}
