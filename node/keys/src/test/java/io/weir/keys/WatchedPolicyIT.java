package io.weir.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.node.command.WeirCommand;
import io.weir.node.testing.NodeFixture;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A node that follows its policy file tells operators how the file and the policy in force agree. */
final class WatchedPolicyIT {
  private static final Duration SOON = Duration.ofMinutes(1);
  private static final String POLICY = """
      buckets:
        - { name: many, burstPeriod: 10, throttleGroups: [{ opsPerSec: 1000, operations: [Ask] }] }
      plans:
        big: { buckets: [many] }
        small: { buckets: [many] }
      defaults: { plan: big }
      """;
  private static final String WITHOUT_SMALL = POLICY.replace("small", "tiny");

  @AutoClose
  private NodeFixture node;

  private final StringWriter out = new StringWriter();
  private Operating operator;
  private String file;

  @BeforeEach
  void start() throws IOException {
    node = NodeFixture.watching(POLICY);
    operator = Operating.on(node);
    file = Files.readString(node.policyFile());
    isSoon("in_force");
  }

  private void isSoon(String state) {
    await().atMost(SOON).untilAsserted(() -> {
      assertThat(operator.ask("GET", "/v1/policy", "").headers().firstValue("Weir-Policy-File"))
          .contains(state);
      assertThat(NodeFixture.json(node.get("/health/ready")).getString("policyFile"))
          .isEqualTo(state);
    });
  }

  private String metrics() {
    return node.get("/metrics").body();
  }

  @Test
  void aPolicyThatAnOperatorPutsInForceBesideTheFileIsToldEverywhere() {
    assertThat(metrics()).contains("throttle_policy_file_differs 0.0");
    HttpResponse<String> put = operator.ask("PUT", "/v1/policy", file + "# by hand\n");
    assertThat(NodeFixture.json(put).getString("policyFile")).isEqualTo("differs");
    isSoon("differs");
    assertThat(metrics())
        .contains("throttle_policy_file_differs 1.0", "throttle_policy_file_refused 0.0");
    StringWriter err = new StringWriter();
    assertThat(weir(err, "policy", "show")).isZero();
    assertThat(err.toString()).contains("policy file has another policy");

    HttpResponse<String> back = operator.ask("PUT", "/v1/policy", file);
    assertThat(NodeFixture.json(back).getString("policyFile")).isEqualTo("in_force");
    isSoon("in_force");
    assertThat(metrics()).contains("throttle_policy_file_differs 0.0");
  }

  @Test
  void aFileByWhichStoredKeysLoseLimitsIsRefusedUntilTheCommandForcesIt() throws IOException {
    operator.made("/v1/keys", "{\"tenant\": \"acme\", \"plan\": \"small\"}");
    Files.writeString(node.policyFile(), WITHOUT_SMALL);
    isSoon("refused");
    assertThat(operator.ask("GET", "/v1/policy", "").body()).isEqualTo(file);

    StringWriter err = new StringWriter();
    String path = node.policyFile().toString();
    assertThat(weir(err, "policy", "apply", path)).isEqualTo(1);
    assertThat(weir(err, "policy", "apply", "--force", path)).isZero();
    assertThat(out.toString()).contains("revision 2 is in force\n");
    isSoon("in_force");
    assertThat(operator.ask("GET", "/v1/policy", "").body()).isEqualTo(WITHOUT_SMALL);

    assertThat(weir(err, "policy", "apply", path)).isZero();
    assertThat(out.toString()).contains("revision 2 has this text and is in force already");
  }

  private int weir(StringWriter err, String... words) {
    String[] all = new String[words.length + 4];
    System.arraycopy(words, 0, all, 0, words.length);
    String[] to = {"--node", node.uri("/").toString(), "--admin-token", NodeFixture.ADMIN};
    System.arraycopy(to, 0, all, words.length, to.length);
    return WeirCommand.commandLine(Map.of(), Optional::empty)
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err))
        .execute(all);
  }
}
