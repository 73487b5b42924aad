package io.weir.operators.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The findings of one node, from its metrics. */
final class NodeStatusTest {
  private static final Instant BEGIN = Instant.parse("2026-01-02T03:04:05Z");

  private final MeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final AtomicReference<Map<String, String>> failing = new AtomicReference<>(Map.of());
  private final AtomicReference<Map<String, String>> unknown = new AtomicReference<>(Map.of());
  private final NodeStatus status =
      new NodeStatus(Symptoms.all(failing::get, unknown::get, () -> "Until then …"), meters, BEGIN);
  private Instant now = BEGIN;

  private void pass(Duration time) {
    for (Instant end = now.plus(time); now.isBefore(end); ) {
      now = now.plusSeconds(2);
      status.look(now);
    }
  }

  private JsonObject described() {
    return status.describe(new JsonObject());
  }

  private List<String> found() {
    return described().getJsonArray("findings").stream()
        .map(one -> Finding.parse((JsonObject) one, "n1"))
        .map(one -> "%s%s since %d s: %s"
            .formatted(
                one.code(),
                one.of().isEmpty() ? "" : " " + one.of(),
                Duration.between(BEGIN, one.since()).toSeconds(),
                one.what()))
        .toList();
  }

  private void decided(String outcome, int times) {
    meters.counter("throttle.decisions", Tags.of("outcome", outcome)).increment(times);
  }

  @Test
  void aSoundNodeHasNoFindings() {
    decided("allowed", 100);
    decided("denied", 100);
    pass(Duration.ofMinutes(2));
    assertThat(found()).isEmpty();
    assertThat(described().containsKey("redisP99Ms")).isFalse();
  }

  @Test
  void aFindingBeginsWhenItIsFirstSeenAndEndsWithItsCause() {
    double[] away = {0};
    meters.gauge("throttle.shared.state.away", away, it -> it[0]);
    pass(Duration.ofSeconds(10));
    away[0] = 0.25;
    pass(Duration.ofSeconds(10));
    assertThat(found()).containsExactly("redis_away since 12 s: 25 % of Redis is away");
    away[0] = 1;
    pass(Duration.ofSeconds(10));
    assertThat(found()).containsExactly("redis_away since 12 s: Redis is away");
    assertThat(described().getJsonArray("findings").getJsonObject(0).getString("doThis"))
        .isEqualTo("Bring Redis back. Until then …");
    away[0] = 0;
    pass(Duration.ofSeconds(2));
    assertThat(found()).isEmpty();
    away[0] = 1;
    pass(Duration.ofSeconds(2));
    assertThat(found()).containsExactly("redis_away since 34 s: Redis is away");
  }

  @Test
  void aNodeIsQuietSinceItsStartOrItsLastFinding() {
    double[] away = {0};
    meters.gauge("throttle.shared.state.away", away, it -> it[0]);
    pass(Duration.ofSeconds(10));
    assertThat(described().getString("quietSince")).isEqualTo(BEGIN.toString());
    away[0] = 1;
    pass(Duration.ofSeconds(10));
    assertThat(described().containsKey("quietSince")).isFalse();
    away[0] = 0;
    pass(Duration.ofSeconds(10));
    assertThat(described().getString("quietSince"))
        .isEqualTo(BEGIN.plusSeconds(22).toString());
  }

  @Test
  void aNodeKnowsTheUsualShareOfDenialsAfterElevenMinutes() {
    decided("allowed", 0);
    decided("denied", 0);
    for (int minute = 0; minute < 13; minute++) {
      decided("allowed", 100);
      decided("denied", 300);
      pass(Duration.ofSeconds(58));
      assertThat(described().getJsonObject("requests").getLong("usual"))
          .isEqualTo(minute < 11 ? 0 : 400);
      pass(Duration.ofSeconds(2));
    }
    assertThat(described().getJsonObject("requests"))
        .isEqualTo(new RecentRequests(400, 300, 400, 300).toJson());
  }

  @Test
  void requestsWithoutADecisionAreFoundFromOneInAHundredOn() {
    decided("unavailable", 0);
    decided("allowed", 0);
    pass(Duration.ofSeconds(2));
    decided("allowed", 991);
    decided("unavailable", 9);
    pass(Duration.ofSeconds(2));
    assertThat(found()).isEmpty();
    decided("unavailable", 2);
    pass(Duration.ofSeconds(2));
    assertThat(found())
        .containsExactly(
            "undecided since 6 s: Requests without a decision in the last minute: 11 of 1002");
    pass(Duration.ofMinutes(1));
    assertThat(found()).isEmpty();
  }

  // A single one that Redis answered too late needs nobody.
  @Test
  void decisionsWithoutRedisAreFoundFromOneInAHundredOn() {
    Counter degraded = meters.counter("throttle.degraded.decisions");
    decided("allowed", 0);
    pass(Duration.ofSeconds(2));
    decided("allowed", 1000);
    degraded.increment(9);
    pass(Duration.ofSeconds(2));
    assertThat(found()).isEmpty();
    degraded.increment();
    pass(Duration.ofSeconds(2));
    assertThat(found())
        .containsExactly(
            "degraded since 6 s: Decisions without Redis in the last minute: 10 of 1000");
  }

  @Test
  void decisionsWithoutRedisAreFoundAfterItIsBackSinceItWentAway() {
    double[] away = {1};
    meters.gauge("throttle.shared.state.away", away, it -> it[0]);
    Counter degraded = meters.counter("throttle.degraded.decisions");
    decided("allowed", 0);
    pass(Duration.ofSeconds(2));
    decided("allowed", 100);
    degraded.increment(100);
    pass(Duration.ofSeconds(2));
    pass(Duration.ofSeconds(10));
    assertThat(found()).containsExactly("redis_away since 2 s: Redis is away");
    away[0] = 0;
    pass(Duration.ofSeconds(2));
    assertThat(found())
        .containsExactly(
            "degraded since 4 s: Decisions without Redis in the last minute: 100 of 100");
  }

  @Test
  void redisIsSlowIfOneCallInAHundredIsSlowForLongerThanAMinute() {
    Timer timer =
        Timer.builder("throttle.store.latency").publishPercentileHistogram().register(meters);
    pass(Duration.ofSeconds(2));
    for (int second = 0; second < 60; second += 2) {
      for (int i = 0; i < 96; i++) {
        timer.record(Duration.ofMillis(1));
      }
      timer.record(Duration.ofMillis(80));
      timer.record(Duration.ofMillis(80));
      pass(Duration.ofSeconds(2));
    }
    assertThat(found()).isEmpty();
    assertThat(described().getDouble("redisP99Ms")).isBetween(80.0, 100.0);
    for (int i = 0; i < 100; i++) {
      timer.record(Duration.ofMillis(80));
    }
    pass(Duration.ofSeconds(4));
    assertThat(found()).singleElement().asString().startsWith("redis_slow since 6 s: Redis takes ");
    pass(Duration.ofMinutes(1));
    assertThat(found()).isEmpty();
  }

  @Test
  void denialsAreUnusualIfTheyAreThreeTimesTheMedianMinute() {
    decided("denied", 0);
    for (int minute = 0; minute < 15; minute++) {
      decided("denied", 200);
      pass(Duration.ofMinutes(1));
    }
    assertThat(found()).isEmpty();
    decided("denied", 400);
    pass(Duration.ofSeconds(30));
    decided("denied", 150);
    pass(Duration.ofSeconds(2));
    assertThat(found()).isEmpty();
    decided("denied", 100);
    pass(Duration.ofSeconds(2));
    assertThat(found())
        .containsExactly(
            "denials_unusual since 934 s: 650 denials in the last minute, usually 200 in this hour");
  }

  @Test
  void aNodeThatHasJustStartedDoesNotKnowWhatIsUsual() {
    decided("denied", 0);
    pass(Duration.ofMinutes(5));
    decided("denied", 100_000);
    pass(Duration.ofSeconds(10));
    assertThat(found()).isEmpty();
  }

  @Test
  void whatHappensRarelyIsFoundForTenMinutes() {
    meters.counter("throttle.holds.ended", "outcome", "lost").increment(0);
    pass(Duration.ofSeconds(2));
    meters.counter("throttle.holds.ended", "outcome", "lost").increment(3);
    meters.counter("throttle.holds.ended", "outcome", "settled").increment(7);
    pass(Duration.ofMinutes(8));
    assertThat(found())
        .containsExactly(
            "holds_lost since 4 s: Requests that lost permits or reservations in 10 minutes: 3");
    pass(Duration.ofMinutes(2));
    assertThat(found()).isEmpty();
  }

  // The registry holds a number of its own only weakly.
  private void gauge(String name, Tags tags, double value) {
    Gauge.builder(name, () -> value).tags(tags).register(meters);
  }

  private void attempted(String provider, String outcome, int times) {
    Tags tags = Tags.of("upstream", "llm", "provider", provider, "key", "k1", "outcome", outcome);
    meters.counter("throttle.upstream.attempts", tags).increment(times);
  }

  @Test
  void aProviderThatRefusesAllRequestsIsFoundUntilItTakesOne() {
    attempted("mixed", "refused", 9);
    attempted("mixed", "good", 1);
    attempted("seldom", "refused", 4);
    attempted("expired", "refused", 5);
    pass(Duration.ofSeconds(2));
    assertThat(found())
        .containsExactly(
            "provider_refuses_all llm/expired since 2 s: Provider expired of llm has refused all requests of the last minute: 5");
    attempted("expired", "good", 1);
    pass(Duration.ofSeconds(2));
    assertThat(found()).isEmpty();
    pass(Duration.ofMinutes(1));
    attempted("expired", "refused", 6);
    pass(Duration.ofSeconds(2));
    assertThat(found()).hasSize(1);
    pass(Duration.ofMinutes(1));
    assertThat(found()).isEmpty();
  }

  @Test
  void eachProviderWindowReceiverAndRuleIsFoundForItself() {
    gauge("throttle.upstream.breaker", Tags.of("upstream", "llm", "provider", "ours"), 0.0);
    gauge("throttle.upstream.breaker", Tags.of("upstream", "llm", "provider", "public"), 2.0);
    Tags place = Tags.of("upstream", "llm", "provider", "ours");
    gauge("throttle.upstream.key.refused", place.and("key", "k1"), 1.0);
    gauge("throttle.upstream.key.refused", place.and("key", "k2"), 0.0);
    gauge("throttle.window.failed", Tags.of("window", "blocks"), 3.0);
    gauge("throttle.window.failed", Tags.of("window", "away"), Double.NaN);
    failing.set(Map.of("ops", "status 500"));
    unknown.set(Map.of("big", "sales"));
    pass(Duration.ofSeconds(2));
    assertThat(found())
        .containsExactly(
            "provider_left_alone llm/public since 2 s: Provider public of llm is left alone after failures",
            "provider_refuses_key llm/ours/k1 since 2 s: Provider ours of llm refuses the key k1",
            "window_failed blocks since 2 s: Window blocks waits: 3 of its ranges have failed",
            "receiver_fails ops since 2 s: Receiver ops does not take warnings: status 500",
            "receiver_unknown big since 2 s: Rule big warns sales, a receiver of no file");
    assertThat(described().getJsonArray("findings").getJsonObject(0).getString("doThis"))
        .isEqualTo("See weir work, and whether the provider answers.");
    assertThat(described().getJsonArray("findings").getJsonObject(1).getString("doThis"))
        .isEqualTo("Renew the key at the provider: see weir inspect --upstream llm.");
  }
}
