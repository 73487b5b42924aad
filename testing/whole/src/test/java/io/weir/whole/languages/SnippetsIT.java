package io.weir.whole.languages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import io.weir.testkit.CommandRun;
import io.weir.testkit.FreePorts;
import io.weir.whole.languages.RecordingProxy.Exchange;
import io.weir.whole.languages.RecordingProxy.Mode;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The checks of {@code examples/languages}, at a real node. */
@Tag("clients")
final class SnippetsIT {
  private static final String POLICY = """
      operations: [{ name: Get, match: { path: /get } }]
      buckets: [{ name: calls, burstPeriod: 4, throttleGroups: [{ opsPerSec: 10, operations: [Get] }] }]
      subjects:
      """
      + Arrays.stream(Language.values())
          .map(language -> TestPolicies.subject(language.name(), ""))
          .reduce("", String::concat);
  private static final int CAPACITY = 40;
  private static final int COST = 15;
  // Timers of some languages end a little early: the node keeps the slot then, too.
  private static final long EARLY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  // In seconds: a machine with much other work is no outage.
  private static final String PATIENT = "60";

  @AutoClose
  private static final NodeFixture node = new NodeFixture(POLICY, FailureMode.DENY);

  @ParameterizedTest
  @EnumSource
  void aDeniedOneComesBackAtItsSlotWithItsTicket(Language language) {
    String key = TestPolicies.key(language.name());
    try (RecordingProxy proxy =
        new RecordingProxy(node.uri("/"), Mode.FORWARD, Optional.of(fullBucket(key)))) {
      CommandRun run =
          run(language, Map.of("WEIR_URL", proxy.url(), "WEIR_KEY", key, "WEIR_TIMEOUT", PATIENT));
      assertThat(run.output()).isEqualToIgnoringNewLines("allowed");
      List<Exchange> exchanges = proxy.exchanges();
      assertThat(exchanges).hasSizeGreaterThan(1);
      assertThat(new JsonObject(exchanges.get(0).request()))
          .isEqualTo(new JsonObject()
              .put("key", key)
              .put("operation", "Get")
              .put("cost", COST)
              .put("ticket", true));
      for (int i = 1; i < exchanges.size(); i++) {
        Exchange before = exchanges.get(i - 1);
        JsonObject denied = new JsonObject(before.answer().body());
        assertThat(new JsonObject(exchanges.get(i).request()).getString("ticket"))
            .isEqualTo(denied.getString("ticket"));
        assertThat(exchanges.get(i).askedNanos() - before.answeredNanos() + EARLY_NANOS)
            .isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(denied.getLong("retryAfterMs")));
      }
    }
  }

  private static String fullBucket(String key) {
    return new JsonObject()
        .put("key", key)
        .put("operation", "Get")
        .put("cost", CAPACITY)
        .encode();
  }

  static Stream<Arguments> outages() {
    return Stream.of(Language.values())
        .flatMap(language -> Stream.of("refused", "503", "stalled")
            .flatMap(outage ->
                Stream.of("allow", "deny").map(choice -> arguments(language, outage, choice))));
  }

  @ParameterizedTest
  @MethodSource("outages")
  void withoutAnAnswerTheChoiceOfTheCallerCounts(Language language, String outage, String choice) {
    Mode mode = outage.equals("stalled") ? Mode.STALL : Mode.REFUSE;
    try (RecordingProxy proxy = new RecordingProxy(node.uri("/"), mode, Optional.empty())) {
      String url = outage.equals("refused") ? "http://127.0.0.1:" + FreePorts.one() : proxy.url();
      CommandRun run = run(language, Map.of("WEIR_URL", url, "WEIR_AWAY", choice));
      assertThat(run.output())
          .isEqualToIgnoringNewLines(choice.equals("allow") ? "allowed" : "denied");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aMistakeIsNoOutage(Language language) {
    CommandRun run = run(
        language,
        Map.of(
            "WEIR_URL",
            node.uri("").toString(),
            "WEIR_KEY",
            "no.key",
            "WEIR_TIMEOUT",
            PATIENT,
            "WEIR_AWAY",
            "allow"));
    assertThat(run.succeeded()).isFalse();
    assertThat(run.output()).contains("401");
    assertThat(run.output().lines()).doesNotContain("allowed");
  }

  private static CommandRun run(Language language, Map<String, String> environment) {
    return language.run(environment, language.snippet(), "Get", Integer.toString(COST));
  }
}
