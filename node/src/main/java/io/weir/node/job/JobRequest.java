package io.weir.node.job;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.weir.job.JobRule;
import io.weir.job.JobSubmission;
import io.weir.node.admission.Asked;
import io.weir.state.redis.IdempotencyStore;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a job sends to the upstream. Of the caller's headers only those of the body and those that the policy names are
 * kept: others may be secrets.
 *
 * @param method in upper case
 * @param target the path and the query
 */
record JobRequest(String method, String target, MultiMap headers, Buffer body) {
  private static final Set<String> USUAL_HEADERS = Set.of(
      "accept",
      "accept-language",
      "content-encoding",
      "content-language",
      "content-type",
      "traceparent",
      "tracestate");
  /** They are another's each time. */
  private static final Set<String> TRACES = Set.of("traceparent", "tracestate");

  private static final int ID_DIGITS = 32;

  /** Of what a caller asks for. */
  static JobRequest of(Asked asked, JobRule rule, Buffer body) {
    Set<String> kept = new TreeSet<>(USUAL_HEADERS);
    kept.addAll(rule.headers());
    MultiMap headers = MultiMap.caseInsensitiveMultiMap();
    StoredMessage.headers(asked.request().headers(), kept)
        .forEach(entry -> headers.set(entry.getKey(), (String) entry.getValue()));
    return new JobRequest(asked.request().method(), asked.request().target(), headers, body);
  }

  /** As it was stored. */
  static JobRequest parse(String text) {
    JsonObject stored = new JsonObject(text);
    return new JobRequest(
        stored.getString("method"),
        stored.getString("target"),
        StoredMessage.headersOf(stored),
        StoredMessage.bodyOf(stored));
  }

  /**
   * The same, to be stored.
   *
   * @param key what makes it the same request as another; without it all that is asked does
   */
  JobSubmission submission(Asked asked, Optional<String> key) {
    StringBuilder head = new StringBuilder(method).append(' ').append(target).append('\n');
    headers.names().stream()
        .filter(name -> !TRACES.contains(name))
        .sorted()
        .forEach(name -> head.append(name).append(':').append(headers.get(name)).append('\n'));
    String fingerprint =
        IdempotencyStore.hash(head.append('\n').toString().getBytes(UTF_8), body.getBytes());
    String tenant = asked.subject().tenant();
    String subject = asked.subject().id();
    String owner = String.join("\n", tenant, subject, asked.operation());
    String name = key.map(text -> "\nkey\n" + text).orElse("\ncontent\n" + fingerprint);
    String id = IdempotencyStore.hash((owner + name).getBytes(UTF_8)).substring(0, ID_DIGITS);
    JsonObject kept = new JsonObject();
    headers.forEach(kept::put);
    JsonObject stored = new JsonObject().put("method", method).put("target", target);
    return new JobSubmission(
        asked.operation(),
        id,
        tenant,
        subject,
        fingerprint.substring(0, ID_DIGITS),
        StoredMessage.put(stored, kept, body).encode());
  }
}
