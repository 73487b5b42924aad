package io.weir.keys;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.node.testing.NodeFixture;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;

/** What operators and callers do, for tests. */
record Operating(NodeFixture node, String token) {
  static Operating on(NodeFixture node) {
    return new Operating(node, NodeFixture.ADMIN);
  }

  Operating as(String other) {
    return new Operating(node, other);
  }

  HttpResponse<String> ask(String method, String path, String body, String... headers) {
    HttpRequest.Builder request = HttpRequest.newBuilder(node.uri(path))
        .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
        .header("Authorization", "Bearer " + token);
    return node.send(headers.length == 0 ? request : request.headers(headers));
  }

  JsonObject made(String path, String body) {
    HttpResponse<String> made = ask("POST", path, body);
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    return NodeFixture.json(made);
  }

  JsonObject key(String tenant) {
    return made("/v1/keys", "{\"tenant\": \"%s\"}".formatted(tenant));
  }

  HttpResponse<String> check(String key) {
    return node.post(
        "/v1/check", new JsonObject().put("key", key).put("operation", "Ask").encode());
  }
}
