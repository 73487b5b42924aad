package io.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.http.HttpServerRequest;
import io.weir.node.testing.TestPolicies;
import io.weir.node.testing.TwoProviders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Jobs of an upstream of providers: sent with our keys, to a provider that can take them. */
@Tag("work")
final class JobsOfProvidersIT extends TwoProviders {
  @Override
  protected String moreOperations() {
    return """
          - { name: Job, match: { method: POST, path: /job }, upstream: two, mode: job,
              job: { dispatchPerSecond: 1000, receiptWaits: [{ after: 0s, wait: 1s }] } }
          - { name: JobReady, match: { method: POST, path: /jobready }, upstream: two, mode: job,
              job: { dispatchPerSecond: 1000, readinessPath: /ready, readinessInterval: 50ms } }
          - { name: JobLost, match: { method: POST, path: /joblost }, upstream: lost, mode: job, job: { dispatchPerSecond: 1000 } }
        """;
  }

  @Override
  protected String moreNames() {
    return ", Job, JobReady, JobLost";
  }

  private static void done(HttpServerRequest request) {
    request.response().end("done");
  }

  private String submit(String path, String body) {
    HttpResponse<String> accepted = fixture.send(HttpRequest.newBuilder(fixture.uri(path))
        .header("X-Api-Key", TestPolicies.key("k1"))
        .header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString(body)));
    assertThat(accepted.statusCode()).as(accepted.body()).isEqualTo(202);
    return accepted.headers().firstValue("Location").orElseThrow();
  }

  private HttpResponse<String> result(String location) {
    await().atMost(Duration.ofMinutes(1)).until(() -> get(location).statusCode() != 202);
    return get(location);
  }

  private List<HttpServerRequest> posted(int provider) {
    return sent.get(provider).stream()
        .filter(request -> request.method().name().equals("POST"))
        .toList();
  }

  @Test
  void aJobIsSentWithOurKeyAndNothingOfTheCaller() {
    answers.set(0, JobsOfProvidersIT::done);
    assertThat(result(submit("/job", "one")).body()).isEqualTo("done");
    HttpServerRequest job = posted(0).get(0);
    assertThat(job.headers().getAll("Authorization").toString() + job.getHeader("X-Key"))
        .contains(SECRET);
    assertThat(job.getHeader("X-Api-Key")).isNull();
    assertThat(job.getHeader("Idempotency-Key")).isNotEmpty();
    assertThat(job.headers().names())
        .noneMatch(name -> name.toLowerCase(Locale.ROOT).startsWith("x-weir"));
  }

  @Test
  void aJobOfAnUpstreamWithADeadProviderIsDoneByTheOther() {
    answers.set(1, JobsOfProvidersIT::done);
    assertThat(result(submit("/joblost", "one")).body()).isEqualTo("done");
    assertThat(posted(1)).hasSize(1);
  }

  @Test
  void aProviderThatAsksForAWaitIsLeftAloneByJobs() {
    answers.replaceAll(all -> request ->
        request.response().setStatusCode(429).putHeader("Retry-After", "60").end());
    answers.set(1, JobsOfProvidersIT::done);
    for (int i = 0; i < 4; i++) {
      assertThat(result(submit("/job", "of " + i)).body()).isEqualTo("done");
    }
    assertThat(posted(1)).hasSize(4);
    assertThat(posted(0)).as("one for each key").hasSizeLessThanOrEqualTo(2);
  }

  @Test
  void aJobWaitsWhileNoProviderTakesIt() {
    answers.replaceAll(all -> request ->
        request.response().setStatusCode(429).putHeader("Retry-After", "1").end());
    String job = submit("/job", "patient");
    await().until(() -> !posted(1).isEmpty());
    answers.replaceAll(all -> JobsOfProvidersIT::done);
    assertThat(result(job).body()).isEqualTo("done");
  }

  @Test
  void theResultIsAskedAtTheProviderThatGaveTheReceipt() {
    answers.set(
        0,
        request ->
            request.response().setStatusCode(429).putHeader("Retry-After", "60").end());
    answers.set(1, request -> {
      if (request.method().name().equals("POST")) {
        request
            .response()
            .setStatusCode(202)
            .putHeader("Location", "/results/7")
            .end();
      } else {
        request.response().end("result of " + request.uri());
      }
    });
    String job = submit("/job", "receipt");
    await().until(() -> !posted(1).isEmpty());
    answers.set(0, request -> request.response().end("the wrong one"));
    assertThat(result(job).body()).isEqualTo("result of /results/7");
    assertThat(sent.get(0)).noneMatch(request -> request.uri().startsWith("/results"));
  }

  @Test
  void aCheckThatSaysNotYetIsNoFailureOfTheProvider() {
    AtomicInteger checks = new AtomicInteger();
    answers.replaceAll(all -> request -> {
      boolean isCheck = request.path().equals("/ready");
      boolean isReady = !isCheck || checks.incrementAndGet() > 12;
      request.response().setStatusCode(isReady ? 200 : 503).end("done");
    });
    assertThat(result(submit("/jobready", "one")).body()).isEqualTo("done");
    assertThat(fixture.get("/metrics").body()).doesNotContain("to=\"open\",upstream=\"two\"");
  }

  @Test
  void aReceiptWithTheAddressOfAnotherProviderIsNotFollowed() {
    answers.set(
        0,
        request -> request
            .response()
            .setStatusCode(202)
            .putHeader("Location", "http://127.0.0.1:%d/results/7".formatted(ports.get(1)))
            .end());
    HttpResponse<String> failed = result(submit("/job", "elsewhere"));
    assertThat(failed.headers().firstValue("Weir-Job-State")).contains("failed");
    assertThat(sent.get(1)).isEmpty();
  }
}
