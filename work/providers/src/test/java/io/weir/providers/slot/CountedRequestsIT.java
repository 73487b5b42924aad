package io.weir.providers.slot;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.node.testing.TwoProviders;
import org.junit.jupiter.api.Test;

/** A request to providers is counted once, by its end, whatever its number of attempts. */
final class CountedRequestsIT extends TwoProviders {
  private String metrics() {
    return fixture.get("/metrics").body();
  }

  private static String requests(String outcome, int count) {
    return "throttle_upstream_requests_total{outcome=\"%s\",upstream=\"two\"} %d"
        .formatted(outcome, count);
  }

  @Test
  void aRequestCountsOnceHoweverManyAttemptsItHad() {
    answers.set(0, request -> request.response().setStatusCode(500).end("no"));
    assertThat(get("/ask").statusCode()).isEqualTo(200);
    answers.set(0, request -> request.response().setStatusCode(404).end("no"));
    assertThat(get("/ask").statusCode()).isEqualTo(404);
    String metrics = metrics();
    assertThat(metrics).contains(requests("answered", 2)).doesNotContain(requests("failed", 1));
    assertThat(metrics)
        .contains(
            "throttle_upstream_retries_total{operation=\"Ask\",provider=\"a\",upstream=\"two\"} 1")
        .contains(
            "throttle_upstream_backoff_seconds_bucket{operation=\"Ask\",upstream=\"two\",le=\"0.025\"} 1");
  }

  @Test
  void aRequestThatFailedAndCouldNotBeRetriedIsCountedWithTheReason() {
    answers.replaceAll(
        answer -> request -> request.response().setStatusCode(500).end("no"));
    assertThat(post("/ask", "body").statusCode()).isEqualTo(500);
    assertThat(get("/ask").statusCode()).isEqualTo(500);
    assertThat(metrics())
        .contains(requests("failed", 2))
        .contains(
            "throttle_upstream_not_retried_total{provider=\"a\",reason=\"unsafe\",upstream=\"two\"} 1")
        .containsPattern(
            "throttle_upstream_not_retried_total\\{provider=\"[ab]\",reason=\"attempts\",upstream=\"two\"} 1")
        .containsPattern(
            "throttle_upstream_exhausted_total\\{operation=\"Ask\",provider=\"[ab]\",upstream=\"two\"} 1");
  }

  @Test
  void aRequestThatWasSentToNoProviderIsRefused() {
    assertThat(get("/keyless").statusCode()).isEqualTo(503);
    assertThat(metrics())
        .contains("throttle_upstream_requests_total{outcome=\"refused\",upstream=\"keyless\"} 1");
  }

  @Test
  void itemsOfBatchesAreRequests() {
    answers.set(0, request -> request.response().setStatusCode(500).end("no"));
    assertThat(
            outcomes(
                batch(
                    "{\"method\": \"GET\", \"path\": \"/ask\"}, {\"method\": \"POST\", \"path\": \"/ask\"}")))
        .containsExactly("executed", "failed");
    assertThat(metrics()).contains(requests("answered", 1)).contains(requests("failed", 1));
  }
}
