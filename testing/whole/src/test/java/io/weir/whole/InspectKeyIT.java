package io.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.policy.FailureMode;
import io.weir.node.command.WeirCommand;
import io.weir.node.testing.NodeFixture;
import io.weir.state.connection.RedisConnections;
import io.weir.state.wire.RedisKeys;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** {@code weir inspect} of keys, tenants and the cluster, for every kind of limit that denies them. */
final class InspectKeyIT {
  private static final String POLICY = """
      operations:
        - { name: Ping, match: { path: /ping }, upstream: rpc }
        - { name: Pong, match: { path: /pong }, upstream: rpc, settle: { lease: 60s } }
      buckets:
        - { name: requests, burstPeriod: 600, throttleGroups: [{ milliOpsPerSec: 100, operations: [Ping, Pong] }] }
        - { name: shared, scope: cluster, burstPeriod: 600, throttleGroups: [{ milliOpsPerSec: 100, operations: [Pong] }] }
      quotas:
        - { name: calls, scope: key, limit: 3, period: day, operations: [Ping] }
        - { name: team, scope: tenant, limit: 8, period: day, operations: [Ping] }
        - { name: everybody, scope: cluster, limit: 100, period: day, operations: [Ping] }
      permits:
        - { name: streams, scope: key, limit: 2, lease: 60s, operations: [Pong] }
      upstreams:
        rpc:
          providers:
            - { name: ours, url: "http://127.0.0.1:1" }
      subjects:
        blocked: { tenant: acme }
        roomy: { tenant: acme, overrides: [{ limits: calls, limit: 50 }] }
        busy: { tenant: acme }
        fresh: { tenant: acme }
        lonely: { tenant: other }
      """;

  @AutoClose
  private static NodeFixture fixture;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeAll
  static void start() {
    fixture = new NodeFixture(POLICY, FailureMode.DENY);
    for (int i = 0; i < 5; i++) {
      check("/v1/check", "blocked", "Ping");
    }
    check("/v1/check", "roomy", "Ping");
    for (int i = 0; i < 2; i++) {
      check("/v1/reservations", "busy", "Pong");
    }
  }

  private static void check(String path, String subject, String operation) {
    fixture.post(
        path,
        "{\"subject\":\"%s\",\"operation\":\"%s\"}".formatted(subject, operation),
        "Authorization",
        "Bearer " + NodeFixture.SERVICE);
  }

  @Test
  void aKeyThatIsARecordIsFoundByItsIdAlone() {
    fixture.post(
        "/v1/keys",
        "{\"tenant\":\"recorded\",\"id\":\"r1\",\"overrides\":[{\"limit\":50,\"limits\":\"calls\"}]}",
        "Authorization",
        "Bearer " + NodeFixture.ADMIN);
    check("/v1/check", "r1", "Ping");
    assertThat(inspect("inspect", "r1")).isZero();
    assertThat(out.toString()).contains("calls").contains("of 50");
    assertThat(inspect("inspect", "recorded/r1")).isZero();
    assertThat(inspect("inspect", "r2")).isOne();
    assertThat(err.toString()).contains("there is no key r2");
  }

  // The output without the breaks of lines that are longer than a terminal.
  private String unwrapped() {
    return out.toString().replaceAll("\\R +", " ");
  }

  private int inspect(String... arguments) {
    CommandLine line = WeirCommand.commandLine(Map.of(), () -> Optional.of(fixture.redisUri()));
    line.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    return line.execute(arguments);
  }

  @ParameterizedTest
  @ValueSource(strings = {"acme/blocked", "blocked", "weir:{72nw}:acme:key:blocked"})
  void aKeyBlockedByItsQuotaIsShownAsFull(String key) {
    assertThat(inspect("inspect", "--raw", key)).isZero();
    assertThat(unwrapped())
        .containsPattern("requests@1/10000000 +\\d+ \\(")
        .containsPattern("calls +[\\d,]+ \\(3 of 3, 100\\.0 %, until \\d{4}-\\d\\d-\\d\\dT");
  }

  @Test
  void aKeyIsShownWithTheLimitsOfItsTenantAndTheCluster() {
    assertThat(inspect("inspect", "--raw", "acme/blocked")).isZero();
    assertThat(unwrapped())
        .contains("weir:{72nw}:acme:tenant", "weir:cluster")
        .containsPattern("team +[\\d,]+ \\(4 of 8, 50\\.0 %, until ")
        .containsPattern("everybody +[\\d,]+ \\(4 of 100, 4\\.0 %, until ");
  }

  @Test
  void withoutRawTheLimitsAreShownInWords() {
    assertThat(inspect("inspect", "acme/blocked")).isZero();
    assertThat(unwrapped())
        .contains(
            "Limits of the key acme/blocked:",
            "Limits that the keys of the tenant acme share:",
            "Limits that all keys share:")
        .containsPattern("last decision +\\d+ (s|min)")
        .containsPattern("calls +3 of 3, 100\\.0 %, all free in \\d")
        .containsPattern("team +4 of 8, 50\\.0 %, all free in \\d")
        .doesNotContain("_us", "expires", "weir:", "@", "revision");
    assertThat(inspect("inspect", "acme/busy")).isZero();
    assertThat(unwrapped()).containsPattern("streams +2 of 2, 100\\.0 % under way");
  }

  @Test
  void aKeyWithALimitOfItsOwnIsShownByThat() {
    assertThat(inspect("inspect", "--raw", "acme/roomy")).isZero();
    assertThat(unwrapped()).containsPattern("calls +[\\d,]+ \\(1 of 50, 2\\.0 %, until ");
  }

  @Test
  void aKeyThatHoldsAllOfItsPermitsIsShownAsFull() {
    assertThat(inspect("inspect", "--raw", "acme/busy")).isZero();
    assertThat(unwrapped()).containsPattern("streams\\.held +2 \\(2 of 2, 100\\.0 %\\)");
  }

  @Test
  void aTenantAndTheClusterAreShownWithTheirLimits() {
    assertThat(inspect("inspect", "--raw", "acme/")).isZero();
    assertThat(inspect("inspect", "--raw", "cluster")).isZero();
    assertThat(unwrapped())
        .containsPattern("team +[\\d,]+ \\(4 of 8")
        .containsPattern("everybody +[\\d,]+ \\(4 of 100")
        .containsPattern("shared@1/10000000 +\\d+ \\(.* of 60 operations");
  }

  @Test
  void aKnownKeyWithoutAStateIsEmpty() {
    assertThat(inspect("inspect", "other/lonely")).isZero();
    assertThat(unwrapped()).contains("other/lonely: nothing is used");
    assertThat(inspect("inspect", "other/")).isZero();
    assertThat(err.toString()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "acme/nobody     | there is no key nobody of the tenant acme",
        "other/blocked   | there is no key blocked of the tenant other; blocked is a key of the tenant acme",
        "nobody          | there is no key nobody",
        "nowhere/        | there is no tenant nowhere",
        "weir:{72nw}:acme:key:nobody | there is no key nobody of the tenant acme",
        "weir:{p41}:acme:key:fresh  | there is no state weir:{p41}:acme:key:fresh",
        "weir:nothing    | there is no state weir:nothing",
      })
  void anUnknownKeyFails(String key, String message) {
    assertThat(inspect("inspect", key)).isEqualTo(1);
    assertThat(err.toString().replaceAll("\\s+", " ")).contains(message);
    assertThat(unwrapped()).isEmpty();
  }

  @Test
  void anUnknownUpstreamAndWindowFail() {
    assertThat(inspect("inspect", "--upstream", "none")).isEqualTo(1);
    assertThat(inspect("inspect", "--window", "none")).isEqualTo(1);
    assertThat(err.toString().lines())
        .containsExactly(
            "there is no upstream none (the policy in force is revision 1)",
            "there is no window none (the policy in force is revision 1)");
    assertThat(inspect("inspect", "--upstream", "rpc")).isZero();
    assertThat(unwrapped()).contains("Nothing was sent to providers of rpc lately.");
  }

  @Test
  void aKeyThatThePolicyHasNoLongerIsShownAsLongAsItsStateIs() {
    try (RedisConnections connections =
        RedisConnections.open(fixture.redisUri(), Duration.ofMinutes(1))) {
      byte[] state = connections.sync().dump(RedisKeys.key("acme", "blocked"));
      connections.sync().restore(RedisKeys.key("acme", "gone"), 60_000, state);
      assertThat(inspect("inspect", "--raw", "acme/gone")).isZero();
      assertThat(unwrapped())
          .contains("requests@1/10000000")
          .contains("There is no key gone of the tenant acme in the policy in force");
    }
  }
}
