package io.weir.providers.slot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.http.HttpServerRequest;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TwoProviders;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Answers of providers that break off, that mean too many requests, or that belong to items of a batch. */
final class ProviderAnswersIT extends TwoProviders {
  private void breaksAfterHalf(int length) {
    answers.set(0, request -> {
      request
          .response()
          .putHeader("Content-Length", Integer.toString(length))
          .putHeader("X-Half", "yes");
      request
          .response()
          .write("half")
          .onComplete(written -> vertx.setTimer(50, due -> request.connection().close()));
    });
  }

  @Test
  void anAnswerThatBreaksBeforeItIsPassedOnIsReplacedWhereThatIsSafe() {
    breaksAfterHalf(100);
    HttpResponse<String> whole = get("/ask");
    assertThat(whole.body()).isEqualTo("fine");
    assertThat(whole.headers().firstValue("X-Half")).isEmpty();
    assertThat(whole.headers().allValues("Content-Length")).containsExactly("4");
    assertThat(whole.headers().allValues("Via")).hasSize(1);
    HttpResponse<String> broken = post("/ask", "x");
    assertThat(broken.statusCode()).isEqualTo(502);
    assertThat(NodeFixture.json(broken).getString("code")).isEqualTo("upstream_unreachable");
    assertThat(broken.headers().firstValue("X-Half")).isEmpty();
    assertThat(broken.headers().allValues("Content-Length")).hasSize(1);
    assertThat(sent.get(0)).hasSize(2);
    assertThat(sent.get(1)).hasSize(1);
  }

  @Test
  void aWaitInTheHeadersCountsEvenIfTheBodyBreaks() {
    answers.set(0, request -> {
      request
          .response()
          .setStatusCode(429)
          .putHeader("Retry-After", "60")
          .putHeader("Content-Length", "100");
      request
          .response()
          .write("half")
          .onComplete(written -> vertx.setTimer(50, due -> request.connection().close()));
    });
    assertThat(get("/narrow").statusCode()).isEqualTo(502);
    assertThat(get("/narrow").statusCode()).isEqualTo(503);
    assertThat(sent.get(0)).hasSize(1);
  }

  @Test
  void anAnswerThatBreaksOnItsWayIsNotMixedWithAnother() {
    breaksAfterHalf(100_000);
    assertThatThrownBy(() -> get("/ask")).isInstanceOf(UncheckedIOException.class);
    assertThat(sent.get(1)).isEmpty();
  }

  private static Consumer<HttpServerRequest> rpc(String body, boolean isChunked) {
    return request -> {
      request.response().putHeader("Content-Type", "application/json").setChunked(isChunked);
      if (isChunked) {
        int half = body.length() / 2;
        request
            .response()
            .write(body.substring(0, half))
            .onSuccess(written -> request.response().end(body.substring(half)));
      } else {
        request.response().end(body);
      }
    };
  }

  @Test
  void anErrorOfJsonRpcThatMeansTooManyIsAnsweredByAnotherProvider() {
    String error =
        "{\"jsonrpc\": \"2.0\", \"id\": 1, \"error\": {\"code\": -32005, \"message\": \"limit\"}}";
    answers.set(1, rpc("{\"result\": 1}", false));
    for (boolean isChunked : new boolean[] {true, false}) {
      answers.set(0, rpc(error, isChunked));
      assertThat(post("/rpc", "{}").body()).isEqualTo("{\"result\": 1}");
      assertThat(post("/once", "{}").body()).isEqualTo(error);
    }
    assertThat(sent.get(0)).hasSize(4);
    assertThat(sent.get(1)).hasSize(2);
  }

  @Test
  void anAnswerThatWasLookedIntoIsWhole() {
    for (String body :
        List.of("x", "{\"result\": \"" + "x".repeat(50_000) + "\"}", "y".repeat(4095), "")) {
      for (boolean isChunked : new boolean[] {true, false}) {
        answers.set(0, rpc(body, isChunked));
        assertThat(post("/rpc", "{}").body()).isEqualTo(body);
      }
    }
    String metrics = fixture.get("/metrics").body();
    assertThat(metrics)
        .containsPattern("throttle_upstream_inflight\\{upstream=\"rpc\"} [01].0")
        .containsPattern("throttle_upstream_limit\\{upstream=\"rpc\"} 1[1-8].0")
        .contains("throttle_upstream_breaker{provider=\"a\",upstream=\"rpc\"} 0.0");
  }

  @Test
  void anAnswerThatBreaksWhileItIsLookedIntoIsNoAnswer() {
    answers.set(0, request -> {
      request
          .response()
          .putHeader("Content-Type", "application/json")
          .putHeader("Content-Length", "100");
      request
          .response()
          .write("{\"error\":")
          .onComplete(written -> vertx.setTimer(50, due -> request.connection().close()));
    });
    HttpResponse<String> broken = post("/rpc", "{}");
    assertThat(broken.statusCode()).isEqualTo(502);
    assertThat(sent.get(1)).isEmpty();
    assertThat(get("/rpc").body()).isEqualTo("fine");
  }

  @Test
  void itemsOfBatchesGoToProvidersToo() {
    answers.set(
        0,
        request ->
            request.response().setStatusCode(429).putHeader("Retry-After", "60").end());
    String get = "{\"method\": \"GET\", \"path\": \"/ask\"}";
    String post = "{\"method\": \"POST\", \"path\": \"/ask?x=1\", \"body\": {\"a\": 1}}";
    HttpResponse<String> both = batch(get + "," + post);
    assertThat(both.statusCode()).as(both.body()).isEqualTo(200);
    assertThat(outcomes(both)).containsExactly("executed", "executed");
    assertThat(sent.get(0)).isNotEmpty().allMatch(one -> one.getHeader("X-Api-Key") == null);
    assertThat(sent.get(1)).hasSize(2).anyMatch(one -> one.uri().equals("/ask?x=1"));
    answers.set(1, request -> request.response().setStatusCode(500).end());
    int before = sent.get(1).size();
    assertThat(outcomes(batch(post))).containsExactly("failed");
    assertThat(sent.get(1)).hasSize(before + 1); // it is unknown whether the provider executed it
  }

  @Test
  void anItemThatNoProviderTakesIsWorthAnotherBatch() {
    HttpResponse<String> keyless = batch("{\"method\": \"GET\", \"path\": \"/keyless\"}");
    assertThat(keyless.statusCode()).isEqualTo(503);
    assertThat(keyless.headers().firstValue("Retry-After")).isPresent();
    assertThat(batch("{\"method\": \"GET\", \"path\": \"/lost\"}").statusCode()).isEqualTo(200);
  }
}
