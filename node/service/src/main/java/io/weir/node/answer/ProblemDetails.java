package io.weir.node.answer;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.answer.Problem;
import io.weir.core.answer.ProblemText;
import java.util.List;

/**
 * A problem as of RFC 9457.
 *
 * @param status the HTTP status
 * @param type a URI that names the kind of problem
 * @param code the kind in one word
 * @param title the description, the same for all problems of this kind
 * @param more further members
 */
public record ProblemDetails(int status, String type, String code, String title, JsonObject more) {

  /** A problem of Weir's own kind. */
  public static ProblemDetails of(int status, String code, String title) {
    return new ProblemDetails(status, "urn:weir:problem:" + code, code, title, new JsonObject());
  }

  /** A request with mistakes, all of them listed. */
  public static ProblemDetails badRequest(String code, List<String> mistakes) {
    return of(400, code, "The request cannot be understood")
        .with("errors", new JsonArray(mistakes));
  }

  /** The shared state did not answer. */
  public static ProblemDetails unavailable() {
    return of(503, "store_unavailable", "The shared state did not answer in time");
  }

  /** The same with another member. */
  public ProblemDetails with(String name, Object value) {
    return new ProblemDetails(status, type, code, title, more.copy().put(name, value));
  }

  /** The same with another status. */
  public ProblemDetails withStatus(int other) {
    return new ProblemDetails(other, type, code, title, more);
  }

  /** The members of the answer. */
  public JsonObject toJson() {
    return new JsonObject()
        .put("type", type)
        .put("title", title)
        .put("status", status)
        .put("code", code)
        .mergeIn(more);
  }

  /** Adds the wait of the member {@code retryAfterMs}, if there is one: whole seconds, rounded up, and milliseconds. */
  public void addWait(MultiMap headers) {
    Long millis = more.getLong("retryAfterMs");
    if (millis != null) {
      headers.set(HttpHeaders.RETRY_AFTER, Long.toString(Math.max(1, (millis + 999) / 1000)));
      headers.set("Retry-After-Ms", Long.toString(millis));
    }
  }

  /** The Proxy-Status value that marks an answer of 502, 503 or 504 as Weir's own, with the reason. */
  public static String proxyStatus(int status, String code) {
    return ProblemText.proxyStatus(status, code);
  }

  /** Ends a response with this answer. */
  public Future<Void> send(HttpServerResponse response) {
    if (status == 405) {
      response.putHeader(HttpHeaders.ALLOW, more.getString("allow", ""));
    }
    ProblemText.fields(status, code).forEach((name, value) -> {
      if (!response.headers().contains(name)) {
        response.putHeader(name, value);
      }
    });
    return response
        .setStatusCode(status)
        .putHeader(HttpHeaders.CONTENT_TYPE, Problem.MEDIA_TYPE)
        .end(toJson().toBuffer());
  }
}
