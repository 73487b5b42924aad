package io.weir.client.window;

import io.weir.client.retry.Attempt;
import io.weir.client.retry.Call;
import io.weir.client.retry.Origin;
import io.weir.client.retry.RetryAfterHeaders;
import io.weir.client.retry.Retryer;
import io.weir.client.retry.Timekeeper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/** Sends requests about one window to the nodes, to the next one where one is down. Safe for use by many threads. */
final class WindowNodes {
  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration USUAL_WAIT = Duration.ofSeconds(1);
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");
  private static final Pattern TOKEN = Pattern.compile("[\\x21-\\x7e]+");
  private static final int SERVER_ERRORS = 500;

  private final HttpClient client;
  private final Retryer retryer;
  private final Timekeeper time;
  private final List<URI> nodes;
  private final String authorization;
  private final String window;
  /** The node that is asked first. */
  private final AtomicInteger turn = new AtomicInteger();

  /** How requests are sent. */
  record Sending(HttpClient client, Retryer retryer, Timekeeper time) {}

  WindowNodes(Sending sending, List<URI> nodes, String serviceToken, String window) {
    if (nodes.isEmpty()) {
      throw new IllegalArgumentException("nodes: none (expected: at least 1)");
    }
    if (!NAME.matcher(window).matches()) {
      throw new IllegalArgumentException(
          "window: %s (expected: %s)".formatted(window, NAME.pattern()));
    }
    if (!TOKEN.matcher(serviceToken).matches()) {
      throw new IllegalArgumentException(
          "serviceToken: has blanks or other characters that a header cannot carry, or none");
    }
    nodes.forEach(Origin::of); // throws if it is not an HTTP address
    this.client = sending.client();
    this.retryer = sending.retryer();
    this.time = sending.time();
    this.nodes = List.copyOf(nodes);
    this.authorization = "Bearer " + serviceToken;
    this.window = window;
  }

  Timekeeper time() {
    return time;
  }

  /** Reads, with {@code GET}; an empty path is the window itself. */
  CompletableFuture<HttpResponse<String>> read(String path) {
    return retryer.call(new WindowCall("GET", path, ""));
  }

  /** Changes, with {@code POST}. */
  CompletableFuture<HttpResponse<String>> send(String verb, String body) {
    return retryer.call(new WindowCall("POST", "/" + verb, body));
  }

  /** The same once, at the next node if the last request failed there. */
  CompletableFuture<HttpResponse<String>> sendOnce(String verb, String body) {
    return new WindowCall("POST", "/" + verb, body).once();
  }

  /** The wait that an answer names, or a second. */
  Duration waitOf(HttpResponse<?> answer) {
    return RetryAfterHeaders.millis(answer.statusCode(), answer.headers()::allValues, time.now())
        .stream()
        .mapToObj(Duration::ofMillis)
        .findFirst()
        .orElse(USUAL_WAIT);
  }

  /** The exception for an answer that refuses a request. */
  WindowException refused(String verb, HttpResponse<String> answer) {
    String code;
    try {
      code = WindowJson.read(answer.body()).text("code");
    } catch (IOException e) {
      code = ""; // not an answer of a node
    }
    return new WindowException(
        answer.statusCode(), code, "%s of window %s".formatted(verb, window));
  }

  /** One request. Every one may be repeated: a node answers a repeated request like the first. */
  private final class WindowCall implements Call<HttpResponse<String>> {
    private final String method;
    private final String path;
    private final String body;

    WindowCall(String method, String path, String body) {
      this.method = method;
      this.path = path;
      this.body = body;
    }

    // The name of all nodes together: the failure of one says nothing about the others.
    @Override
    public String upstream() {
      return "window " + window;
    }

    @Override
    public String name() {
      return "%s /v1/windows/%s%s".formatted(method, window, path);
    }

    @Override
    public boolean isRepeatable() {
      return true;
    }

    @Override
    public CompletionStage<HttpResponse<String>> send(Attempt attempt) {
      return once().thenApply(answer -> {
        attempt.isAnswer(answer.statusCode(), answer.headers()::allValues);
        return answer;
      });
    }

    // It is not cancelled: the answer to a claim has to be known.
    private CompletableFuture<HttpResponse<String>> once() {
      int node = turn.get();
      return client
          .sendAsync(request(node), BodyHandlers.ofString())
          .whenComplete((answer, error) -> {
            if (error != null || answer.statusCode() >= SERVER_ERRORS) {
              turn.compareAndSet(node, node + 1);
            }
          });
    }

    private HttpRequest request(int node) {
      URI base = nodes.get(Math.floorMod(node, nodes.size()));
      return HttpRequest.newBuilder(base.resolve("/v1/windows/" + window + path))
          .header("Authorization", authorization)
          .header("Content-Type", "application/json")
          .timeout(ANSWER_TIMEOUT)
          .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
          .build();
    }
  }
}
