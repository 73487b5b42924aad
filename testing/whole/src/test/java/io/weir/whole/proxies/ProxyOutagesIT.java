package io.weir.whole.proxies;

import static io.weir.whole.proxies.ProxyFixture.header;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import io.weir.testkit.FreePorts;
import io.weir.testkit.RedisProcess;
import io.weir.whole.proxies.ProxyProcess.Kind;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What callers behind the real fixture get while Weir is slow or gone, or its Redis is away. */
final class ProxyOutagesIT extends ProxyTests {
  @ParameterizedTest
  @EnumSource
  void whenWeirIsGoneOrSlowCallersGet503(Kind kind) throws Exception {
    ProxyProcess proxy = fixture.before(kind, text -> text);
    fixture.network().refuse(true);
    assertUnasked(proxy);
    fixture.network().heal();
    fixture.network().stall(true);
    assertUnasked(proxy);
    fixture.network().heal();
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> fixture.get(proxy, "/free/x", TestPolicies.key("k1")).statusCode() == 200);
  }

  private void assertUnasked(ProxyProcess proxy) throws Exception {
    HttpResponse<String> answer = fixture.get(proxy, "/free/x", TestPolicies.key("k1"));
    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(header(answer, "Weir-Degraded")).isEqualTo("unasked");
  }

  @ParameterizedTest
  @EnumSource
  void aCheckWhoseAnswerIsLateIsChargedOnce(Kind kind) throws Exception {
    ProxyProcess impatient = fixture.before(kind, text -> text);
    fixture.network().delay(Duration.ofSeconds(2));
    HttpResponse<String> late = fixture.get(impatient, "/big", TestPolicies.key("k1"));
    assertThat(header(late, "Weir-Degraded")).isEqualTo("unasked");
    fixture.network().heal();
    ProxyProcess patient = fixture.before(kind);
    List<Integer> statuses = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      statuses.add(fixture.get(patient, "/big", TestPolicies.key("k1")).statusCode());
    }
    assertThat(statuses).containsExactly(200, 200, 429);
  }

  @ParameterizedTest
  @EnumSource
  void aServiceThatIsGoneIsNotWeirs(Kind kind) throws Exception {
    ProxyProcess proxy =
        fixture.start(kind, fixture.network().port(), FreePorts.one(), ProxyFixture::patient);
    HttpResponse<String> answer = fixture.get(proxy, "/orders/1", TestPolicies.key("k1"));
    assertThat(answer.statusCode()).isBetween(500, 599);
    assertThat(header(answer, "Weir-Degraded")).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void requestsPassWhileWeirIsGoneByTheRecipeOfThePage(Kind kind) throws Exception {
    String recipe = recipe(
        switch (kind) {
          case NGINX -> "location @weir_unasked";
          case CADDY -> "handle @away";
          case HAPROXY -> "str allowed unasked";
        });
    ProxyProcess proxy = fixture.start(
        kind,
        fixture.node().uri("/").getPort(),
        fixture.node().upstreamPort(),
        text -> open(kind, ProxyFixture.patient(text), recipe));

    for (int lines : List.of(3, 120, 120, 120)) {
      HttpRequest.Builder tooLong = fixture.asking(proxy, "/orders/1", "nobody.knows-this-key");
      for (int i = 0; i < lines; i++) {
        tooLong.header("X-Long-" + i, "a".repeat(7900));
      }
      HttpResponse<String> refused = fixture.send(tooLong);
      assertThat(refused.statusCode()).isIn(400, 431, 503);
    }

    fixture.node().stop();
    HttpResponse<String> passed = fixture.send(fixture.spoofing(proxy));
    assertThat(passed.statusCode()).isEqualTo(200);
    assertThat(passed.body()).isEqualTo("GET  null ");
    assertThat(header(passed, "Weir-Degraded")).isEqualTo("unasked");
    fixture.node().startAgain();
    HttpResponse<String> asked = fixture.send(fixture.spoofing(proxy));
    assertThat(asked.body()).isEqualTo("GET acme+k1 null ");
    assertThat(header(asked, "Weir-Degraded")).isEmpty();
  }

  // The recipe takes the place of the last location, the error routes or the line that answers 503.
  private static String open(Kind kind, String text, String recipe) {
    String replaced = switch (kind) {
      case NGINX -> "(?s)# Weir could not decide.*";
      case CADDY -> "(?s)\thandle_errors.*";
      case HAPROXY -> "(?m)^.*http-request return status 503.*\n";
    };
    String closing = kind == Kind.CADDY ? "}\n" : "";
    return text.replaceFirst(replaced, Matcher.quoteReplacement(recipe + closing));
  }

  @Test
  void whileRedisIsAwayEachPlanIsServedAsItSays() throws Exception {
    RedisProcess redis = fixture.closedWithThis(RedisProcess.start());
    NodeFixture alone = fixture.closedWithThis(NodeFixture.losing(
        redis.uri(),
        """
        operations: [{ name: Orders, match: { path: "/orders/**" } }]
        buckets:
          - { name: calls, burstPeriod: 3600, throttleGroups: [{ milliOpsPerSec: 2, operations: [Orders] }] }
        plans:
          shares: { buckets: [calls], failureMode: local }
          open: { buckets: [calls], failureMode: allow }
          closed: { buckets: [calls], failureMode: deny }
        identity: { proxies: [127.0.0.1] }
        subjects:
        """
            + TestPolicies.subject("shares", ", plan: shares")
            + TestPolicies.subject("open", ", plan: open")
            + TestPolicies.subject("closed", ", plan: closed"),
        FailureMode.LOCAL));
    List<ProxyProcess> proxies = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      proxies.add(fixture.start(
          kind, alone.uri("/").getPort(), alone.upstreamPort(), ProxyFixture::patient));
    }
    redis.pause();
    try {
      for (ProxyProcess proxy : proxies) {
        assertServedWithoutRedis(proxy);
      }
    } finally {
      redis.resume();
    }
    for (ProxyProcess proxy : proxies) {
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> header(orders(proxy, "open"), "Weir-Degraded").isEmpty());
    }
  }

  private HttpResponse<String> orders(ProxyProcess proxy, String key) throws Exception {
    return fixture.get(proxy, "/orders/1", TestPolicies.key(key));
  }

  private void assertServedWithoutRedis(ProxyProcess proxy) throws Exception {
    HttpResponse<String> passed = orders(proxy, "open");
    assertThat(passed.statusCode()).isEqualTo(200);
    assertThat(header(passed, "Weir-Degraded")).isEqualTo("shared-state-away");
    HttpResponse<String> refused = orders(proxy, "closed");
    assertThat(refused.statusCode()).isEqualTo(503);
    assertThat(header(refused, "Retry-After")).isNotEmpty();
    assertThat(header(refused, "Weir-Degraded")).isEmpty();
    List<HttpResponse<String>> shared = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      shared.add(orders(proxy, "shares"));
    }
    assertThat(shared)
        .allMatch(answer -> header(answer, "Weir-Degraded").equals("shared-state-away"))
        .anyMatch(answer -> answer.statusCode() == 429);
  }

  @ParameterizedTest
  @EnumSource
  void anotherNodeTakesOverWhenOneIsStopped(Kind kind) throws Exception {
    String policy =
        ProxyFixture.POLICY.replace("UPSTREAM", Integer.toString(fixture.node().upstreamPort()));
    NodeFixture other =
        fixture.closedWithThis(NodeFixture.at(fixture.node().redisUri(), policy, FailureMode.DENY));
    String one = "127.0.0.1:" + fixture.node().uri("/").getPort();
    String two = "127.0.0.1:" + other.uri("/").getPort();
    String balanced =
        recipe("lb_retries").replace("10.0.0.1:8080", one).replace("10.0.0.2:8080", two);
    ProxyProcess proxy = fixture.start(
        kind,
        fixture.node().uri("/").getPort(),
        fixture.node().upstreamPort(),
        text -> switch (kind) {
          case NGINX ->
            ProxyFixture.patient(text)
                .replace("server 127.0.0.1:8080;", "server %s; server %s;".formatted(one, two));
          case CADDY ->
            ProxyFixture.patient(text).replace("reverse_proxy 127.0.0.1:8080 {\n", balanced);
          case HAPROXY ->
            ProxyFixture.patient(text)
                .replace("server weir 127", "server other %s\n  server weir 127".formatted(two));
        });
    String key = TestPolicies.key("k1");
    assertThat(statuses(proxy)).containsOnly(200);
    assertThat(fixture.get(proxy, "/big", key).statusCode()).isEqualTo(200);
    fixture.node().stop();
    assertThat(statuses(proxy)).containsOnly(200);
    List<Integer> statuses = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      statuses.add(fixture.get(proxy, "/big", key).statusCode());
    }
    assertThat(statuses).containsExactly(200, 200, 429);
  }

  // Of requests at once, so that each event loop of a node has some.
  private Set<Integer> statuses(ProxyProcess proxy) {
    List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      answers.add(fixture.sendAsync(fixture.asking(proxy, "/free/x", TestPolicies.key("k1"))));
    }
    return answers.stream().map(answer -> answer.join().statusCode()).collect(Collectors.toSet());
  }

  // A block of the page that contains these words.
  private static String recipe(String words) throws IOException {
    return Pattern.compile("```\\w+\n(.*?)```", Pattern.DOTALL)
        .matcher(Files.readString(Path.of("../../docs/how-to/proxies.md")))
        .results()
        .map(block -> block.group(1))
        .filter(block -> block.contains(words))
        .findFirst()
        .orElseThrow();
  }
}
