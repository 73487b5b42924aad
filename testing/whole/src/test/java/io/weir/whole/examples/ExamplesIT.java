package io.weir.whole.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.embedded.EmbeddedRedis;
import io.weir.node.testing.NodeFixture;
import io.weir.testkit.FreePorts;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** The example applications beside a node, on one Redis: one limit for all, and the same answers. */
@TestMethodOrder(OrderAnnotation.class)
@Tag("embedding")
final class ExamplesIT {
  private static final String[] KEY = {"X-Api-Key", "plain.demo-secret-of-plain"};
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final int CAPACITY = 50;

  private static final EmbeddedRedis REDIS =
      EmbeddedRedis.start(EmbeddedRedis.Binary.BUNDLED, FreePorts.one());
  private static final List<Application> ALL = new ArrayList<>();
  private static NodeFixture node;

  @BeforeAll
  static void start() throws IOException {
    String policy = Files.readString(Path.of("../../examples/orders.yaml"))
        + "upstream: { url: \"http://127.0.0.1:UPSTREAM\" }\n";
    node = NodeFixture.at(REDIS.uri(), policy, FailureMode.DENY);
    node.upstreamAnswers("/orders/1", request -> request.response().end("order 1"));
    for (String name : List.of("spring-mvc", "spring-webflux", "spring-gateway")) {
      ALL.add(Application.start(name, REDIS.uri(), node.upstreamPort(), "--weir.redis-timeout=5s"));
    }
    ALL.forEach(Application::serving);
  }

  @AfterAll
  static void stop() {
    ALL.forEach(Application::close);
    node.close();
    REDIS.close();
  }

  @Test
  @Order(1)
  void applicationsAndANodeHaveOneLimitAndGiveTheSameAnswers() throws Exception {
    long begun = System.nanoTime();
    int allowed = 0;
    for (int i = 0; i < 80; i++) {
      allowed += ask(i % 4).statusCode() == 200 ? 1 : 0;
    }
    long seconds = Duration.ofNanos(System.nanoTime() - begun).toSeconds();
    assertThat(allowed).isBetween(CAPACITY, (int) (CAPACITY + seconds + 1));
    HttpResponse<String> ofNode = denied(() -> ask(3));
    assertThat(ofNode.statusCode()).isEqualTo(429);
    for (int i = 0; i < 3; i++) {
      int who = i;
      HttpResponse<String> answer = denied(() -> ask(who));
      assertThat(answer.statusCode()).isEqualTo(429);
      assertThat(fields(answer)).isEqualTo(fields(ofNode));
      assertThat(members(answer)).isEqualTo(members(ofNode));
      assertThat(answer.headers().allValues("RateLimit")).hasSize(1);
      assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    }
  }

  @Test
  @Order(2)
  void theGatewaysOwnFilterHasTheSameLimit() throws Exception {
    HttpResponse<String> answer =
        denied(() -> ALL.get(2).get("/moved/orders/1", "X-User", "plain"));
    assertThat(answer.statusCode()).isEqualTo(429);
    assertThat(answer.headers().firstValue("Retry-After")).isPresent();
    assertThat(answer.headers().allValues("RateLimit-Policy")).hasSize(1);
  }

  @Test
  @Order(3)
  void aPlainProgramHasTheSameLimit() throws Exception {
    assertThat(Application.run("plain-java", REDIS.uri(), "../orders.yaml", "20"))
        .containsPattern("allowed 1?\\d of 20");
    assertThat(Application.runAsModule(
            "plain-java", "plain.java/asks.Asks", REDIS.uri(), "../orders.yaml", "20"))
        .containsPattern("allowed 1?\\d of 20");
  }

  @Test
  @Order(4)
  void strangersAreRefusedAndOtherRequestsPass() throws Exception {
    for (Application one : ALL) {
      assertThat(one.get("/orders/1").statusCode()).isEqualTo(401);
      assertThat(one.get("/orders/1", "X-Api-Key", "plain.wrong").statusCode()).isEqualTo(401);
      assertThat(one.get("/orders/1", "X-Api-Key", "index").statusCode()).isEqualTo(401);
    }
    assertThat(ALL.get(0).get("/report").statusCode()).isEqualTo(200);
  }

  @Test
  @Order(5)
  void annotatedMethodsAreLimitedAtTheirCost() throws Exception {
    assertThat(ALL.get(0).get("/search?text=1234").statusCode()).isEqualTo(200);
    assertThat(ALL.get(1).get("/search?text=1234").statusCode()).isEqualTo(200);
    for (Application one : ALL.subList(0, 2)) {
      HttpResponse<String> denied = one.get("/search?text=123456789");
      assertThat(denied.statusCode()).isEqualTo(429);
      assertThat(denied.headers().firstValue("Retry-After")).isPresent();
      assertThat(denied.body()).contains("\"code\":\"quota_exceeded\"");
    }
    assertThat(ALL.get(0).get("/search?text=12345678901").statusCode()).isEqualTo(422);
  }

  @Test
  @Order(6)
  void aChangeOfPolicyReachesAllApplications() {
    await().atMost(LONG).ignoreExceptions().until(() -> revisions().equals(Set.of(1)));
    String changed = "{\"path\":\"/buckets/orders/throttleGroups/0/opsPerSec\",\"value\":2}";
    HttpResponse<String> answer = node.send(HttpRequest.newBuilder(node.uri("/v1/policy"))
        .method("PATCH", HttpRequest.BodyPublishers.ofString(changed))
        .header("Content-Type", "application/json")
        .header("If-Match", "*")
        .header("Authorization", "Bearer " + NodeFixture.ADMIN));
    assertThat(answer.statusCode()).describedAs(answer.body()).isEqualTo(200);
    await().atMost(LONG).ignoreExceptions().until(() -> revisions().equals(Set.of(2)));
  }

  private static Set<Integer> revisions() throws IOException, InterruptedException {
    Set<Integer> all = new TreeSet<>();
    for (Application one : ALL.subList(0, 2)) {
      all.add(new JsonObject(one.get("/actuator/info").body())
          .getJsonObject("weir")
          .getInteger("revision"));
    }
    return all;
  }

  @Test
  @Order(7)
  void whileRedisIsAwayRequestsAreRefusedAndAfterwardsDecidedAgain() {
    REDIS.stop();
    for (Application one : ALL) {
      await().atMost(LONG).untilAsserted(() -> {
        HttpResponse<String> answer = one.get("/orders/1", KEY);
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.headers().firstValue("Proxy-Status")).isPresent();
        assertThat(answer.body()).contains("store_unavailable");
      });
    }
    REDIS.restart();
    for (Application one : ALL) {
      await().atMost(LONG).until(() -> one.get("/orders/1", KEY).statusCode() != 503);
    }
  }

  private static HttpResponse<String> ask(int who) throws IOException, InterruptedException {
    return who < ALL.size() ? ALL.get(who).get("/orders/1", KEY) : node.get("/orders/1", KEY);
  }

  // An operation drains in a second, which may be over between two requests.
  private static HttpResponse<String> denied(Callable<HttpResponse<String>> asks) throws Exception {
    HttpResponse<String> answer = asks.call();
    for (int more = 0; answer.statusCode() == 200 && more < CAPACITY; more++) {
      answer = asks.call();
    }
    return answer;
  }

  // Those of the transport differ.
  private static Set<String> fields(HttpResponse<String> answer) {
    Set<String> names = new TreeSet<>();
    answer.headers().map().keySet().forEach(name -> {
      String lower = name.toLowerCase(Locale.ROOT);
      if (lower.startsWith("ratelimit") || lower.startsWith("retry-")) {
        names.add(lower);
      }
    });
    return names;
  }

  private static Set<String> members(HttpResponse<String> answer) {
    Set<String> names = new TreeSet<>(new JsonObject(answer.body()).fieldNames());
    names.remove("id"); // only what a node remembers has one
    return names;
  }
}
