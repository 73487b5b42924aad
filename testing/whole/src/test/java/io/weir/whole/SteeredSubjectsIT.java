package io.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.core.bucket.Names;
import io.weir.core.policy.FailureMode;
import io.weir.node.command.WeirCommand;
import io.weir.node.testing.NodeFixture;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Subjects without a record are steered by commands, whether or not their name is an id, and whoever states their tenant. */
@Tag("operators")
final class SteeredSubjectsIT {
  private static final String POLICY = """
      operations: [{ name: Ask, match: { path: /ask } }]
      buckets:
        - { name: calls, burstPeriod: 10, throttleGroups: [{ opsPerSec: 10, operations: [Ask] }] }
      quotas: [{ name: daily, scope: key, limit: 5, period: day, operations: [Ask] }]
      plans: { free: { buckets: [calls] } }
      subjects:
        - { match: "user*", tenant: app, plan: free }
        - { match: "team/*", tenant: users, plan: free }
      defaults: { plan: free }
      identity: { header: { name: X-Mail, from: [127.0.0.1], tenant: app, prefix: "mail:" } }
      upstream: { url: "http://127.0.0.1:UPSTREAM" }
      """;

  private static NodeFixture node;

  @BeforeAll
  static void start() {
    node = new NodeFixture(POLICY, FailureMode.DENY);
  }

  @AfterAll
  static void end() {
    node.close();
  }

  private record Ran(int status, String out, String err) {}

  private static Ran weir(String... words) {
    List<String> all = new ArrayList<>(List.of(words));
    all.addAll(List.of("--node", node.uri("/").toString(), "--admin-token", NodeFixture.ADMIN));
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int status = WeirCommand.commandLine(Map.of(), Optional::empty)
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(all.toArray(String[]::new));
    return new Ran(status, out.toString(), err.toString());
  }

  private static Ran boost(String subject, String bucket, String rate) {
    return weir("keys", "boost", subject, "--bucket", bucket, "--ops-per-sec", rate, "--for", "2h");
  }

  // A node learns the name of a new record by its next look.
  private static void explained(String subject, String... parts) {
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(
            () -> assertThat(weir("explain", subject, "Ask").out().replaceAll("\\s+", " "))
                .contains(parts));
  }

  @ParameterizedTest
  @ValueSource(strings = {"user-1", "user:4711", "user:/?#%2F+~"})
  void aSubjectWithoutARecordIsBoostedLoweredFrozenAndReset(String subject) {
    isSteered(subject);
  }

  @Test
  void aSubjectOfWhichOnlyItsRequestsStateTheTenantIsSteeredAtEveryNode() {
    String subject = "mail:a@app.example";
    assertThat(weir("explain", subject).err()).contains("key_unknown");
    assertThat(weir("keys", "freeze", subject).err()).contains("key_unknown");
    try (NodeFixture other = NodeFixture.at(node.redisUri(), POLICY, FailureMode.DENY)) {
      for (NodeFixture any : List.of(node, other)) {
        any.upstreamAnswers("/ask", request -> request.response().end());
      }
      assertThat(other.get("/ask", "X-Mail", "a@app.example").statusCode()).isEqualTo(200);
      isSteered(subject);
    }
  }

  private static void isSteered(String subject) {
    explained(subject, "would pass now");
    Ran less = boost(subject, "calls", "5");
    assertThat(less.status()).isEqualTo(1);
    assertThat(less.err())
        .contains("calls of " + subject + " is 10 per s (expected: more than that");
    assertThat(weir("keys", "show", subject).err()).contains("key_unknown");

    Ran more = boost(subject, "calls", "50");
    assertThat(more.status()).as(more.err()).isZero();
    assertThat(more.err()).contains("calls of " + subject + ": 10 per s → 50 per s for ");
    explained(subject, "50 per s", "override");
    assertThat(boost(subject, "calls", "20").err()).contains("is 50 per s for ");

    assertThat(weir("keys", "freeze", subject).status()).isZero();
    explained(subject, "is frozen");
    assertThat(weir("keys", "activate", subject).status()).isZero();
    explained(subject, "would pass now");
    assertThat(weir("reset", subject).status()).isZero();
    Ran ofQuota =
        weir("keys", "boost", subject, "--limits", "daily", "--limit", "50", "--for", "2h");
    assertThat(ofQuota.err()).contains("daily of " + subject + ": 5 → 50 for ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"k9", "team/k9:1"})
  void aKeyIsNamedAsListsShowIt(String key) {
    String listed = (Names.isId(key) ? "acme/" : "users/") + key;
    if (Names.isId(key)) {
      assertThat(weir("keys", "create", key, "--tenant", "acme").status()).isZero();
    }
    explained(key, "would pass now");
    explained(listed, "would pass now");
    assertThat(boost(listed, "calls", "50").err()).contains("calls of " + key + ": 10 per s → 50");
    assertThat(weir("keys", "freeze", listed).status()).isZero();
    assertThat(weir("keys", "show", listed).out()).contains("frozen");
    explained(listed, "is frozen");
    assertThat(node.post("/v1/check", check(key), "Authorization", "Bearer " + NodeFixture.SERVICE)
            .body())
        .contains("never_allowed");
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> assertThat(weir("denials", "--key", listed).out()).contains("frozen"));
    assertThat(weir("reset", listed).out()).contains("Nothing was used.");
    String ofAnother = "globex/" + key;
    assertThat(weir("explain", ofAnother).err()).contains("key_unknown");
    assertThat(weir("keys", "freeze", ofAnother).err()).contains("key_unknown");
  }

  private static String check(String key) {
    return "{\"subject\": \"%s\", \"operation\": \"Ask\"}".formatted(key);
  }

  @ParameterizedTest
  @ValueSource(strings = {"nobody", "nobody:1"})
  void aSubjectThatNothingCoversIsUnknown(String subject) {
    assertThat(boost(subject, "calls", "50").err()).contains("key_unknown");
    assertThat(weir("keys", "freeze", subject).err()).contains("key_unknown");
  }

  @Test
  void theBeginOfAKeyIsNoId() {
    assertThat(weir("keys", "freeze", "weir_k1").err()).contains("expected: its id, k1");
    assertThat(weir("keys", "show", "weir_k1").err()).contains("expected: its id, k1");
    assertThat(weir("explain", "weir_k1").err()).contains("expected: its id, k1");
  }
}
