package io.weir.node.intake;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import java.util.Map;

/**
 * A request to a route. Owned by the event loop of the request.
 *
 * @param http the request, paused
 * @param parameters the values of the parameters of the route's path
 */
public record RoutedRequest(HttpServerRequest http, Map<String, String> parameters) {

  /** The value of a parameter of the route's path. */
  public String parameter(String name) {
    String value = parameters.get(name);
    if (value == null) {
      throw new IllegalArgumentException(name + ": the route has no such parameter");
    }
    return value;
  }

  /** The response. */
  public HttpServerResponse response() {
    return http.response();
  }

  /** Answers with JSON. */
  public Future<Void> answer(int status, JsonObject json) {
    return answer(status, json.toBuffer());
  }

  /** The same for the text of JSON. */
  public Future<Void> answer(int status, Buffer json) {
    return http.response()
        .setStatusCode(status)
        .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
        .end(json);
  }
}
