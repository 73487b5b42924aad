package io.weir.node.job;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.weir.core.job.JobRule;
import io.weir.core.job.JobState;
import io.weir.node.json.JsonInput;
import java.util.Optional;
import java.util.Set;

/**
 * The result of a job: an answer of the upstream, or the reason why there is none.
 *
 * @param status the upstream's; 0 if there is no answer
 * @param reason why there is no answer, in one word
 */
record JobResult(int status, MultiMap headers, Buffer body, Optional<String> reason) {
  private static final Set<String> HEADERS = Set.of(
      "cache-control",
      "content-disposition",
      "content-encoding",
      "content-language",
      "content-type",
      "etag",
      "last-modified",
      "link",
      "location");

  /** A result with an answer; empty if its kept headers are too long to be stored. */
  static Optional<JobResult> answer(int status, MultiMap headers, Buffer body) {
    MultiMap kept = StoredMessage.headers(headers, HEADERS);
    return StoredMessage.bytesOf(kept) > StoredMessage.MAX_HEADERS_BYTES
        ? Optional.empty()
        : Optional.of(new JobResult(status, kept, body, Optional.empty()));
  }

  /** The final state of a job with this result. */
  JobState state(JobRule rule) {
    return rule.isFailure(status) ? JobState.FAILED : JobState.COMPLETED;
  }

  /** Whether the result is an answer of the upstream. */
  boolean isAnswer() {
    return status > 0;
  }

  static JobResult none(String reason) {
    return new JobResult(
        0, MultiMap.caseInsensitiveMultiMap(), Buffer.buffer(), Optional.of(reason));
  }

  static Optional<JobResult> parse(String text) {
    if (text.isEmpty()) {
      return Optional.empty();
    }
    JsonObject stored = JsonInput.object(text);
    return Optional.of(new JobResult(
        stored.getInteger("status", 0),
        StoredMessage.headersOf(stored),
        StoredMessage.bodyOf(stored),
        Optional.ofNullable(stored.getString("reason"))));
  }

  String text() {
    JsonObject stored = new JsonObject();
    if (status > 0) {
      stored.put("status", status);
    }
    reason.ifPresent(why -> stored.put("reason", why));
    return StoredMessage.put(stored, headers, body).encode();
  }
}
