package io.weir.node.answer;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.answer.Problem;
import io.weir.core.answer.ProblemText;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A problem as a node answers it. */
public record ProblemDetails(Problem problem) {

  /** A problem of Weir's own kind. */
  public static ProblemDetails of(int status, String code, String title) {
    return new ProblemDetails(Problem.of(status, code, title));
  }

  /** A request with mistakes, all of them listed. */
  public static ProblemDetails badRequest(String code, List<String> mistakes) {
    return of(400, code, "The request cannot be understood").with("errors", List.copyOf(mistakes));
  }

  /** The shared state did not answer. */
  public static ProblemDetails unavailable() {
    return new ProblemDetails(Problem.unavailable());
  }

  /** The same with another member. */
  public ProblemDetails with(String name, Object value) {
    return new ProblemDetails(problem.with(name, plain(value)));
  }

  /** The same with another status. */
  public ProblemDetails withStatus(int other) {
    return new ProblemDetails(problem.withStatus(other));
  }

  /** The same with another code. */
  public ProblemDetails withCode(String other) {
    return new ProblemDetails(problem.withCode(other));
  }

  // The lists and maps of a problem are those of Java, and are not modified afterwards.
  private static Object plain(Object value) {
    if (value instanceof JsonArray list) {
      return list.stream().map(ProblemDetails::plainOrNull).toList();
    }
    if (value instanceof JsonObject object) {
      Map<String, @Nullable Object> members = new LinkedHashMap<>();
      object.forEach(member -> members.put(member.getKey(), plainOrNull(member.getValue())));
      return members;
    }
    return value;
  }

  private static @Nullable Object plainOrNull(@Nullable Object value) {
    return value == null ? null : plain(value);
  }

  /** The HTTP status. */
  public int status() {
    return problem.status();
  }

  /** The kind in one word. */
  public String code() {
    return problem.code();
  }

  /** The wait that it names as {@code retryAfterMs}, if it does. */
  public OptionalLong waitMillis() {
    return problem.more().get("retryAfterMs") instanceof Number millis
        ? OptionalLong.of(millis.longValue())
        : OptionalLong.empty();
  }

  /** The members of the answer, as a part of another one. */
  public JsonObject toJson() {
    return new JsonObject(problem.members());
  }

  /** The answer, as JSON. */
  public String text() {
    return ProblemText.json(problem);
  }

  /** Adds its wait, if it names one: whole seconds, rounded up, and milliseconds. */
  public void addWait(MultiMap headers) {
    waitMillis().ifPresent(millis -> {
      headers.set(HttpHeaders.RETRY_AFTER, Long.toString(Math.max(1, (millis + 999) / 1000)));
      headers.set("Retry-After-Ms", Long.toString(millis));
    });
  }

  /** The Proxy-Status value that marks an answer of 502, 503 or 504 as Weir's own, with the reason. */
  public static String proxyStatus(int status, String code) {
    return ProblemText.proxyStatus(status, code);
  }

  /** Ends a response with this answer. */
  public Future<Void> send(HttpServerResponse response) {
    if (status() == 405 && problem.more().get("allow") instanceof String allowed) {
      response.putHeader(HttpHeaders.ALLOW, allowed);
    }
    ProblemText.fields(problem).forEach((name, value) -> {
      if (!response.headers().contains(name)) {
        response.putHeader(name, value);
      }
    });
    return response
        .setStatusCode(status())
        .putHeader(HttpHeaders.CONTENT_TYPE, Problem.MEDIA_TYPE)
        .end(text());
  }
}
