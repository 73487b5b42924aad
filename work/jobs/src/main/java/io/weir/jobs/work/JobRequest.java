package io.weir.jobs.work;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.jobs.rule.JobName;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.rule.JobSubmission;
import io.weir.node.admission.IdentifiedRequest;
import io.weir.node.admission.Request;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.json.JsonInput;
import io.weir.state.wire.Sha256;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The request that a job sends to the upstream. Of the caller's headers, only those of the body and those that the
 * policy names are kept: others may be secrets.
 *
 * @param method in upper case
 * @param target the path and the query
 */
public record JobRequest(String method, String target, MultiMap headers, Buffer body) {
  private static final Set<String> USUAL_HEADERS = Set.of(
      "accept",
      "accept-language",
      "content-encoding",
      "content-language",
      "content-type",
      "traceparent",
      "tracestate");
  /** These differ in each repetition of a request. */
  private static final Set<String> TRACES = Set.of("traceparent", "tracestate");

  private static final int ID_DIGITS = 32;
  private static final ProblemDetails HEADERS_TOO_LONG = ProblemDetails.of(
      431, "job_headers_too_long", "The headers that go with the job are too long");

  /** The request without its body. */
  Request request() {
    return new Request(method, target, headers);
  }

  /** The caller's headers that are kept for a job; throws {@link RefusedException} if they are too long. */
  public static MultiMap headers(IdentifiedRequest asked, JobRule rule) {
    Set<String> kept = new TreeSet<>(USUAL_HEADERS);
    kept.addAll(rule.protocol().headers());
    MultiMap headers = StoredMessage.headers(asked.request().headers(), kept);
    int bytes = StoredMessage.bytesOf(headers);
    if (bytes > StoredMessage.MAX_HEADERS_BYTES) {
      String mistake = "%s: %d bytes with their names (expected: at most %d)"
          .formatted(String.join(", ", headers.names()), bytes, StoredMessage.MAX_HEADERS_BYTES);
      throw new RefusedException(HEADERS_TOO_LONG.with("errors", new JsonArray().add(mistake)));
    }
    return headers;
  }

  /**
   * From a caller's request.
   *
   * @param headers the kept ones
   */
  public static JobRequest of(IdentifiedRequest asked, MultiMap headers, Buffer body) {
    return new JobRequest(asked.request().method(), asked.request().target(), headers, body);
  }

  /** From its stored form. */
  static JobRequest parse(String text) {
    JsonObject stored = JsonInput.object(text);
    return new JobRequest(
        stored.getString("method"),
        stored.getString("target"),
        StoredMessage.headersOf(stored),
        StoredMessage.bodyOf(stored));
  }

  /**
   * Its stored form.
   *
   * @param key identifies repetitions of the request; without a key, its whole content does
   */
  public JobSubmission submission(IdentifiedRequest asked, Optional<String> key) {
    StringBuilder head = new StringBuilder(method).append(' ').append(target).append('\n');
    headers.names().stream()
        .filter(name -> !TRACES.contains(name))
        .sorted()
        .forEach(name -> head.append(name).append(':').append(headers.get(name)).append('\n'));
    String fingerprint = Sha256.hex(head.append('\n').toString().getBytes(UTF_8), body.getBytes());
    String tenant = asked.subject().tenant();
    String subject = asked.subject().id();
    String owner = String.join("\n", tenant, subject, asked.operation());
    String name = key.map(text -> "\nkey\n" + text).orElse("\ncontent\n" + fingerprint);
    String id = Sha256.hex((owner + name).getBytes(UTF_8)).substring(0, ID_DIGITS);
    JsonObject stored = new JsonObject().put("method", method).put("target", target);
    return new JobSubmission(
        new JobName(asked.operation(), id, tenant, subject, fingerprint.substring(0, ID_DIGITS)),
        StoredMessage.put(stored, headers, body).encode());
  }
}
