package io.weir.whole.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.command.WeirCommand;
import io.weir.node.testing.NodeFixture;
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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each kind of limit, of subjects of each origin, is named alike by denials, explanations, cases and commands. */
@Tag("operators")
final class LimitKindsIT {
  private static NodeFixture node;

  @BeforeAll
  static void start() {
    node = new NodeFixture(LimitKinds.POLICY, FailureMode.LOCAL);
    LimitKinds.makeRecords(node);
    String boosted =
        weir("keys", "boost", "boosted:1", "--bucket", "own", "--rate", "6/h", "--for", "2h");
    assertThat(boosted).contains("own of boosted:1: 3/h → 6/h until ");
    await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
      assertThat(weir("explain", "boosted:1", "Key")).contains("override");
      assertThat(weir("explain", "recorded", "Key")).contains("own");
    });
  }

  @AfterAll
  static void stop() {
    node.close();
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
    for (JsonObject shown : List.of(explained, ofAll)) {
      JsonObject limit = named(shown, "limits", kind);
      assertThat(limit.getBoolean("full")).isTrue();
      assertThat(limit.getString("kind")).isEqualTo(kind.kind());
      assertThat(limit.getString("scope")).isEqualTo(kind.scope());
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
