package io.weir.keys.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.command.WeirCommand;
import io.weir.node.testing.NodeFixture;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The commands for keys, as operators type them. */
@Tag("operators")
final class KeyCommandsIT {
  private static final String POLICY = """
      buckets:
        - { name: calls, burstPeriod: 10, throttleGroups: [{ opsPerSec: 10, operations: [Ask] }] }
      plans:
        free: { buckets: [calls] }
        gold: { buckets: [calls], overrides: [{ bucket: calls, opsPerSec: 100 }] }
      defaults: { plan: free }
      subjects: [{ match: "user:*", tenant: app, plan: free }]
      """;

  @AutoClose
  private static final NodeFixture fixture = NodeFixture.withOwnRedis(POLICY, FailureMode.DENY);

  @TempDir
  private Path folder;

  /** What a command printed. */
  private record Ran(int status, String out, String err) {}

  private static Ran weir(String... words) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = WeirCommand.commandLine(Map.of(), Optional::empty)
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err));
    List<String> all = new ArrayList<>(List.of(words));
    all.addAll(List.of("--node", fixture.uri("/").toString(), "--admin-token", NodeFixture.ADMIN));
    int status = line.execute(all.toArray(String[]::new));
    return new Ran(status, out.toString(), err.toString());
  }

  private static int checked(String key) {
    return fixture
        .post(
            "/v1/check",
            new JsonObject().put("key", key).put("operation", "Ask").encode())
        .statusCode();
  }

  private static void within(String key, int status) {
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> assertThat(checked(key)).isEqualTo(status));
  }

  @Test
  void aKeyFromItsBeginToItsEnd() {
    Ran made = weir("keys", "create", "k1", "--tenant", "acme", "--label", "team=x", "--json");
    assertThat(made.status()).as(made.err()).isZero();
    String key = new JsonObject(Map.of("text", made.out()))
        .getString("text")
        .replaceAll("(?s).*\"key\":\"([^\"]+)\".*", "$1");
    within(key, 200);
    assertThat(weir("keys", "list", "--tenant", "acme").out()).contains("k1");
    assertThat(limit("k1")).contains(" plan ", " 10 per s ");
    Ran boosted =
        weir("keys", "boost", "k1", "--bucket", "calls", "--ops-per-sec", "50", "--for", "2h");
    assertThat(boosted.status()).as(boosted.err()).isZero();
    assertThat(boosted.err()).matches("calls of k1: 10 per s → 50 per s for 2 h\\s+");
    Ran lowered =
        weir("keys", "boost", "k1", "--bucket", "calls", "--ops-per-sec", "20", "--for", "2h");
    assertThat(lowered.status()).isEqualTo(1);
    assertThat(lowered.err())
        .matches(
            "calls of k1 is 50 per s for [^(]+ \\(expected: more than\\s+that,\\s+or --lower\\)\\s+");
    assertThat(limit("k1")).contains(" 50 per s ", " in 2 h");
    assertThat(weir("keys", "set", "k1", "{\"plan\": \"gold\"}").status()).isZero();
    assertThat(weir("keys", "freeze", "k1").status()).isZero();
    assertThat(weir("keys", "show", "k1").out()).contains("frozen");
    assertThat(weir("keys", "activate", "k1").status()).isZero();
    assertThat(weir("keys", "rotate", "k1", "--overlap", "0s").status()).isZero();
    within(key, 401);
    assertThat(weir("keys", "delete", "k1").status()).isZero();
    Ran gone = weir("keys", "show", "k1");
    assertThat(gone.status()).isEqualTo(1);
    assertThat(gone.err()).contains("key_unknown");
    assertThat(weir("audit").out().replaceAll("\\s+", " "))
        .contains("create")
        .contains("state: active → frozen")
        .contains("overrides: – → calls 50 per s for 2 h")
        .doesNotContain(key, "secrets");
  }

  @Test
  void aSubjectOfARuleIsFrozenWithoutARecordBefore() {
    assertThat(weir("keys", "freeze", "user:4711").status()).isZero();
    assertThat(weir("keys", "show", "user:4711").out()).contains("frozen");
    assertThat(weir("keys", "activate", "user:4711").status()).isZero();
    assertThat(weir("keys", "delete", "user:4711").status()).isZero();
    assertThat(weir("keys", "show", "user:4711").err()).contains("key_unknown");
    assertThat(weir("keys", "freeze", "nobody:1").err()).contains("key_unknown");
  }

  // The only limit, as it is shown.
  private static String limit(String key) {
    return weir("keys", "show", key)
        .out()
        .lines()
        .filter(line -> line.startsWith("calls "))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void nothingIsWiderThanATerminal() {
    String id = "k-".repeat(30);
    String tenant = "t".repeat(60);
    assertThat(weir("tenants", "create", tenant, "--note", "n ".repeat(90)).status())
        .isZero();
    assertThat(
            weir("keys", "create", id, "--tenant", tenant, "--label", "team=x").status())
        .isZero();
    weir(
        "keys", "set", id, "{\"note\": \"%s\", \"plan\": \"gold\"}".formatted("asked ".repeat(30)));
    weir("tokens", "create", "n".repeat(40), "--scope", "keys", "--tenant", tenant);
    for (String command : List.of(
        "keys list",
        "keys show " + id,
        "tenants list",
        "tenants show " + tenant,
        "tokens list",
        "audit",
        "policy history",
        "keys --help",
        "keys boost --help")) {
      Ran ran = weir(command.split(" "));
      assertThat(ran.out().lines())
          .as(command)
          .isNotEmpty()
          .allSatisfy(line -> assertThat(line.length()).as(line).isLessThanOrEqualTo(80));
    }
  }

  @Test
  void theAuditShowsTheBeginningOfALongNote() {
    weir("keys", "create", "noted", "--tenant", "acme");
    String note = "\uD83D\uDE80 asked for more until the move is over, see the mail of March";
    weir("keys", "set", "noted", new JsonObject().put("note", note).encode());
    weir("keys", "set", "noted", "{\"note\": \"asked for less\"}");

    List<String> lines = weir("audit", "--limit", "2")
        .out()
        .replaceAll("\\s*\\n {10,}", " ")
        .lines()
        .skip(1)
        .toList();

    String begin = "\uD83D\uDE80 asked for more until the move is over…";
    assertThat(lines.get(0)).endsWith("note: " + begin + " → asked for less");
    assertThat(lines.get(1)).endsWith("note: – → " + begin);
  }

  @Test
  void recordsAreListedInTheOrderOfTheirIds() {
    for (String id : List.of("c", "a", "d", "b")) {
      assertThat(weir("keys", "create", id, "--tenant", "sorted").status()).isZero();
    }
    assertThat(weir("keys", "list", "--tenant", "sorted").out().lines().skip(1))
        .extracting(line -> line.substring(0, 1))
        .containsExactly("a", "b", "c", "d");
    assertThat(weir("keys", "list", "--tenant", "sorted", "--json").out().lines())
        .extracting(line -> new JsonObject(line).getString("id"))
        .containsExactly("a", "b", "c", "d");
  }

  @Test
  void theListNamesThePlanOfEachKeyAndWhoGivesIt() {
    assertThat(weir("tenants", "create", "planned", "--plan", "gold").status()).isZero();
    weir("keys", "create", "p1", "--tenant", "planned");
    weir("keys", "create", "p2", "--tenant", "planned", "--plan", "free");
    weir("keys", "create", "p3", "--tenant", "unplanned");
    assertThat(weir("keys", "list", "--tenant", "planned").out())
        .containsPattern("(?m)^p1 +planned +gold \\(tenant\\) +active ")
        .containsPattern("(?m)^p2 +planned +free +active ");
    assertThat(weir("keys", "list", "--tenant", "unplanned").out())
        .containsPattern("(?m)^p3 +unplanned +free \\(policy\\) +active ");
  }

  @Test
  void mistakesAreToldAllAtOnce() {
    Ran refused = weir("keys", "create", "--plan", "none");
    assertThat(refused.status()).isEqualTo(1);
    assertThat(refused.err()).contains("tenant: nothing");
    Ran plan = weir("keys", "create", "--tenant", "acme", "--plan", "none");
    assertThat(plan.err()).contains("plan: 'none'").contains("free, gold");
    assertThat(weir("keys", "boost", "k1", "--for", "1h").status()).isEqualTo(2);
    assertThat(weir("keys", "rotate", "k1", "--overlap", "soon").status()).isEqualTo(2);
  }

  @Test
  void tenantsAndTokens() {
    assertThat(weir("tenants", "create", "globex", "--plan", "gold").status()).isZero();
    assertThat(weir("tenants", "list").out()).contains("globex");
    assertThat(weir("tenants", "list", "--state", "frozen").status()).isEqualTo(2);
    assertThat(weir("keys", "list", "--tenant", "nobody").out())
        .isEqualTo("No such key has a record.\n");
    assertThat(weir("keys", "list", "--tenant", "nobody", "--json").out()).isEmpty();
    assertThat(weir("tenants", "freeze", "globex").status()).isZero();
    assertThat(weir("tenants", "show", "globex").out()).contains("frozen");
    assertThat(weir("tenants", "delete", "globex").status()).isZero();
    Ran token = weir("tokens", "create", "ci", "--scope", "read", "--expires", "30d");
    assertThat(token.out()).contains("weir_ci.");
    assertThat(weir("tokens", "list").out()).contains("ci").doesNotContain("weir_ci.");
    assertThat(weir("tokens", "delete", "ci").status()).isZero();
  }

  @Test
  void anImportMayBeRepeatedAndExported() throws IOException {
    Path file = folder.resolve("many.csv");
    StringBuilder text = new StringBuilder("id,tenant,plan,key\n");
    for (int i = 0; i < 1200; i++) {
      text.append("m%d,many,gold,opaque-key-number-%d\n".formatted(i, i));
    }
    text.append("bad id,many,gold,opaque-key-of-a-bad-id\n");
    for (int i = 1200; i < 1300; i++) {
      text.append("m%d,many,gold,opaque-key-number-%d\n".formatted(i, i));
    }
    Files.writeString(file, text);
    Ran first = weir("keys", "import", file.toString());
    assertThat(first.out()).contains("created 1300").contains("refused 1");
    assertThat(first.status()).isEqualTo(1);
    assertThat(first.err()).contains("line 1202, bad id: record_invalid").contains("100 %");
    within("opaque-key-number-7", 200);
    within("opaque-key-number-1299", 200);
    assertThat(weir("keys", "import", file.toString()).out()).contains("the same already 1300");
    assertThat(weir("keys", "import", file.toString(), "--from-line", "1203").out())
        .contains("the same already 100,")
        .contains("refused 0");
    Ran exported = weir("keys", "export", "--tenant", "many");
    assertThat(exported.out().lines()).hasSize(1300);
    assertThat(weir("keys", "delete", "m7").status()).isZero();
    within("opaque-key-number-7", 401);
    Path copy = folder.resolve("copy.jsonl");
    Files.writeString(copy, exported.out());
    Ran again = weir("keys", "import", copy.toString());
    assertThat(again.out()).as(again.err()).contains("created 1,").contains("already 1299");
    within("opaque-key-number-7", 200);
  }
}
