package io.weir.whole.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.cluster.local.NodeProcess;
import io.weir.testkit.RealTime;
import io.weir.testkit.RedisTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/**
 * Calls of services, callers and operators to any node; each is answered as it should be, or the test fails. Safe for use
 * by many threads.
 */
record UpgradeCalls(HttpClient client, String serviceToken, String adminToken) {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  static UpgradeCalls of(String serviceToken, String adminToken) {
    HttpClient client = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    return new UpgradeCalls(client, serviceToken, adminToken);
  }

  /** Sends a request whose failure is up to the caller. */
  HttpResponse<String> send(String method, String url, String body, String... headers)
      throws IOException {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url))
        .timeout(TIMEOUT)
        .method(method, BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    try {
      return client.send(request.build(), BodyHandlers.ofString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private HttpResponse<String> answered(String method, String url, String body, String... headers) {
    try {
      return send(method, url, body, headers);
    } catch (IOException e) {
      throw new UncheckedIOException(url, e);
    }
  }

  HttpResponse<String> operator(NodeProcess node, String method, String path, String body) {
    return answered(method, node.adminUrl() + path, body, "Authorization", "Bearer " + adminToken);
  }

  /** The answer to a check, which must be a decision. */
  HttpResponse<String> check(String url, String subject, String operation, JsonObject more)
      throws IOException {
    JsonObject body =
        new JsonObject().put("subject", subject).put("operation", operation).mergeIn(more);
    return send("POST", url + "/v1/check", body.encode(), "Authorization", service());
  }

  JsonObject check(NodeProcess node, String subject, String operation, JsonObject more) {
    try {
      return json(200, check(node.url(), subject, operation, more));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean isAllowed(NodeProcess node, String subject, String operation) {
    return check(node, subject, operation, new JsonObject())
        .getString("decision")
        .equals("allowed");
  }

  private String service() {
    return "Bearer " + serviceToken;
  }

  private static JsonObject json(int status, HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    return new JsonObject(answer.body());
  }

  /** Waits for the instant that a ticket begins with. */
  static void awaitSlot(String ticket) {
    long slotNanos = 1000 * Long.parseLong(ticket.substring(0, 16));
    RealTime.pass(Duration.ofNanos(Math.max(0, slotNanos - RedisTime.nanos()) + 1_000_000));
  }

  /** Reserves; returns the id. */
  String reserve(NodeProcess node, String subject, String operation, int cost) {
    JsonObject body = new JsonObject()
        .put("subject", subject)
        .put("operation", operation)
        .put("cost", cost)
        .put("leaseMs", 600_000);
    return json(
            201,
            answered(
                "POST", node.url() + "/v1/reservations", body.encode(), "Authorization", service()))
        .getString("reservation");
  }

  /** Settles or cancels a reservation; returns how it has ended. */
  String end(NodeProcess node, String reservation, String verb, int cost) {
    String path = "/v1/reservations/" + reservation + "/" + verb;
    JsonObject body = verb.equals("settle") ? new JsonObject().put("cost", cost) : new JsonObject();
    return json(200, answered("POST", node.url() + path, body.encode(), "Authorization", service()))
        .getString("status");
  }

  /** Submits a job; returns its path. */
  String submit(NodeProcess node, String key, String path) {
    HttpResponse<String> answer = answered(
        "POST", node.url() + path, "{\"node\": \"%s\"}".formatted(node.url()), "X-Api-Key", key);
    json(202, answer);
    return URI.create(answer.headers().firstValue("Location").orElseThrow()).getPath();
  }

  /** 202 until the job has ended, then the status of the upstream's answer. */
  int status(NodeProcess node, String key, String job) {
    return answered("GET", node.url() + job, "", "X-Api-Key", key).statusCode();
  }

  /** A step of the window {@code blocks}. */
  JsonObject window(NodeProcess node, String verb, JsonObject body) {
    HttpResponse<String> answer = answered(
        "POST",
        node.url() + "/v1/windows/blocks/" + verb,
        body.encode(),
        "Authorization",
        service());
    return json(verb.equals("open") ? 201 : 200, answer);
  }

  /** Makes a key; returns its text. */
  String createKey(NodeProcess node, String id) {
    String body = new JsonObject().put("tenant", "acme").put("id", id).encode();
    return json(201, operator(node, "POST", "/v1/keys", body)).getString("key");
  }

  /** The status of a check of this key: 200, or 401 if it is unknown. */
  int keyStatus(NodeProcess node, String key) {
    String body = new JsonObject().put("key", key).put("operation", "Pay").encode();
    return answered("POST", node.url() + "/v1/check", body).statusCode();
  }

  long revision(NodeProcess node) {
    return operator(node, "GET", "/v1/policy", "")
        .headers()
        .firstValueAsLong("Weir-Policy-Revision")
        .orElseThrow();
  }
}
