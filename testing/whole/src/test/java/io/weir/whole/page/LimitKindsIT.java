package io.weir.whole.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.command.WeirCommand;
import io.weir.node.testing.NodeFixture;
import io.weir.whole.page.LimitKinds.Frozen;
import io.weir.whole.page.LimitKinds.Kind;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each kind of limit, of subjects of each origin, is named alike by denials, explanations, cases and commands. */
@Tag("operators")
final class LimitKindsIT {
  @AutoClose
  private static NodeFixture node;

  @BeforeAll
  static void start() {
    node = new NodeFixture(LimitKinds.POLICY, FailureMode.LOCAL);
    LimitKinds.makeRecords(node);
    boosted(
        "keys boost boosted:1 --bucket own --rate 6/h", "own of boosted:1: 3 per h → 6 per h for ");
    boosted("keys boost boosted:1 --limits daily --limit 6", "daily of boosted:1: 3 → 6 for ");
    boosted("keys boost boosted:1 --limits streams --limit 2", "streams of boosted:1: 1 → 2 for ");
    boosted("tenants boost spa --bucket team --rate 6/h", "team of spa: 6 per h for ");
    boosted("tenants boost spa --limits team-daily --limit 6", "team-daily of spa: 6 for ");
    boosted("tenants boost spa --limits team-streams --limit 2", "team-streams of spa: 2 for ");
    await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
      assertThat(weir("explain", "boosted:1", "Key")).contains("override");
      assertThat(weir("explain", "recorded", "Key")).contains("own");
    });
  }

  private static void boosted(String command, String expected) {
    assertThat(weir((command + " --for 2h").split(" ")).replaceAll("\\s+", " ")).contains(expected);
  }

  static Stream<Arguments> cells() {
    return Kind.ALL.stream()
        .flatMap(kind -> LimitKinds.SUBJECTS.stream().map(name -> Arguments.of(kind, name)));
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("cells")
  void theLimitThatDeniesIsNamedAlikeEverywhere(Kind kind, String subject) {
    String id = LimitKinds.denied(node, subject, kind);
    String key = URLEncoder.encode(subject, StandardCharsets.UTF_8);

    JsonObject denial = look("/v1/denials/" + id);
    assertThat(denial.getString("key")).isEqualTo(subject);
    assertThat(denial.getString("reason")).isEqualTo(kind.limit());
    assertThat(denial.getJsonArray("full"))
        .containsExactly(new JsonObject()
            .put("limit", kind.limit())
            .put("kind", kind.kind())
            .put("scope", kind.scope()));
    assertThat(look("/v1/denials?key=" + key).getJsonArray("denials").toString())
        .contains(id);

    JsonObject explained = look("/v1/explain?key=" + key + "&operation=" + kind.operation());
    assertThat(explained.getString("decision")).isEqualTo("denied");
    assertThat(explained.getJsonArray("full")).containsExactly(kind.limit());
    JsonObject ofAll = look("/v1/explain?key=" + key);
    for (JsonObject shown : kind.hasLevel() ? List.of(explained, ofAll) : List.<JsonObject>of()) {
      JsonObject limit = named(shown, "limits", kind);
      assertThat(limit.getBoolean("full")).isTrue();
      assertThat(limit.getString("kind")).isEqualTo(kind.kind());
      assertThat(limit.getString("scope")).isEqualTo(kind.scope());
      boolean isBoosted = subject.equals("boosted:1") && kind.isBoosted();
      assertThat(limit.getString("from")).isEqualTo(isBoosted ? "override" : "plan");
    }

    JsonObject found =
        named(look("/v1/cases?limit=32&tenant=" + denial.getString("tenant")), "cases", kind);
    assertThat(found.getString("key", subject)).isEqualTo(subject);
    assertThat(found.containsKey("key")).isEqualTo(kind.scope().equals("key"));

    assertThat(weir("denials", "--key", subject)).contains(kind.limit());
    assertThat(weir("denials", id)).contains(kind.limit(), subject);
    assertThat(weir("explain", subject, kind.operation())).contains("denied", kind.limit());
    assertThat(weir("explain", subject)).contains(kind.limit());
    // The newest case with the most denials is among the first ones.
    assertThat(weir("top", "--limit", "32")).contains(kind.limit());
  }

  static Stream<Frozen> frozen() {
    return Frozen.ALL.stream();
  }

  @ParameterizedTest
  @MethodSource("frozen")
  void aFreezeIsReportedInTheSameWordsEverywhere(Frozen frozen) {
    String key = URLEncoder.encode(frozen.subject(), StandardCharsets.UTF_8);
    String id = await()
        .atMost(Duration.ofMinutes(1))
        .ignoreExceptions()
        .until(
            () -> LimitKinds.denied(node, frozen.subject(), Kind.ALL.get(0)),
            found -> look("/v1/denials/" + found).getString("why", "").equals(frozen.words()));

    JsonObject explained = look("/v1/explain?key=" + key + "&operation=Key");
    assertThat(explained.getString("why")).isEqualTo(frozen.words());
    assertThat(look("/v1/explain?key=" + key).getJsonArray("decisions"))
        .allSatisfy(
            one -> assertThat(((JsonObject) one).getString("why")).isEqualTo(frozen.words()));
    assertThat(look("/v1/cases?limit=32").getJsonArray("cases"))
        .map(JsonObject.class::cast)
        .filteredOn(
            one -> frozen.owner().equals(one.getString("tenant") + "/" + one.getString("key", "")))
        .extracting(one -> one.getString("why"))
        .contains(frozen.words());
    assertThat(weir("top", "--limit", "32"))
        .containsPattern("(?m)^" + frozen.owner() + " +" + frozen.words() + " ");
    assertThat(weir("explain", frozen.subject()).replaceAll("\\s+", " "))
        .contains("the " + frozen.words());
    assertThat(weir("denials", "--key", frozen.subject()))
        .contains(frozen.words())
        .doesNotContain("no operation");
    assertThat(weir("denials", id)).containsPattern("reason +" + frozen.words());
  }

  @Test
  void whatALimitInAuditModeWouldDenyIsNamedAlikeEverywhere() {
    for (int i = 0; i < 4; i++) {
      assertThat(LimitKinds.check(node, "listed", "Trial").getString("decision"))
          .isEqualTo("allowed");
    }
    JsonObject denial = await()
        .atMost(Duration.ofMinutes(1))
        .until(
            () -> look("/v1/denials?key=listed&rehearsed=true").getJsonArray("denials"),
            found -> !found.isEmpty())
        .getJsonObject(0);
    assertThat(denial.getString("outcome")).isEqualTo("would_deny");
    assertThat(denial.getString("reason")).isEqualTo("trial");
    assertThat(denial.getJsonArray("full"))
        .containsExactly(
            new JsonObject().put("limit", "trial").put("kind", "rate").put("scope", "key"));
    assertThat(look("/v1/denials/" + denial.getString("id"))).isEqualTo(denial);
    JsonObject limit = look("/v1/explain?key=listed").getJsonArray("limits").stream()
        .map(JsonObject.class::cast)
        .filter(row -> row.getString("limit").equals("trial"))
        .findFirst()
        .orElseThrow();
    assertThat(limit.getBoolean("audit")).isTrue();
    assertThat(limit.getBoolean("full")).isTrue();
    assertThat(look("/v1/cases?state=wouldbe&tenant=acme").getJsonArray("cases").toString())
        .contains("\"listed\"", "\"trial\"");
    assertThat(look("/v1/cases?tenant=acme").getJsonArray("cases").toString())
        .doesNotContain("trial");
    assertThat(weir("top", "--state", "wouldbe")).contains("acme/listed", "trial");
    assertThat(weir("denials", denial.getString("id"))).contains("trial", "listed");
    assertThat(weir("explain", "listed")).contains("trial");
  }

  private static JsonObject look(String path) {
    return NodeFixture.json(LimitKinds.send(node, "GET", path, ""));
  }

  private static JsonObject named(JsonObject shown, String list, Kind kind) {
    return shown.getJsonArray(list).stream()
        .map(JsonObject.class::cast)
        .filter(row -> row.getString("limit").equals(kind.limit()))
        .findFirst()
        .orElseThrow();
  }

  // Both what it prints and what it complains of.
  private static String weir(String... words) {
    List<String> all = new ArrayList<>(List.of(words));
    all.addAll(List.of("--node", node.uri("/").toString(), "--admin-token", NodeFixture.ADMIN));
    StringWriter out = new StringWriter();
    WeirCommand.commandLine(Map.of(), Optional::empty)
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(out, true))
        .execute(all.toArray(String[]::new));
    return out.toString();
  }
}
