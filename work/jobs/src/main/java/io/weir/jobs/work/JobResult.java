package io.weir.jobs.work;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.weir.jobs.rule.JobMove;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.rule.JobState;
import io.weir.jobs.work.JobExchange.Answer;
import io.weir.node.json.JsonInput;
import java.util.Optional;
import java.util.Set;

/**
 * The result of a job: an answer of the upstream, or the reason why there is none.
 *
 * @param status the upstream's; 0 if there is no answer
 * @param reason why there is no answer, in one word
 */
public record JobResult(int status, MultiMap headers, Buffer body, Optional<String> reason) {
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
  public static Optional<JobResult> answer(int status, MultiMap headers, Buffer body) {
    MultiMap kept = StoredMessage.headers(headers, HEADERS);
    return StoredMessage.bytesOf(kept) > StoredMessage.MAX_HEADERS_BYTES
        ? Optional.empty()
        : Optional.of(new JobResult(status, kept, body, Optional.empty()));
  }

  /** The final state of a job with this result. */
  public JobState state(JobRule rule) {
    return rule.isFailure(status) ? JobState.FAILED : JobState.COMPLETED;
  }

  /** Whether the result is an answer of the upstream. */
  public boolean isAnswer() {
    return status > 0;
  }

  static JobResult none(String reason) {
    return new JobResult(
        0, MultiMap.caseInsensitiveMultiMap(), Buffer.buffer(), Optional.of(reason));
  }

  public static Optional<JobResult> parse(String text) {
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

  public String text() {
    JsonObject stored = new JsonObject();
    if (status > 0) {
      stored.put("status", status);
    }
    reason.ifPresent(why -> stored.put("reason", why));
    return StoredMessage.put(stored, headers, body).encode();
  }

  /** The end of a job whose upstream answered. */
  static JobMove end(Answer answer, JobRule rule) {
    if (!answer.isWhole()) {
      return JobMove.to(JobState.FAILED, none("result_too_long").text());
    }
    return answer(answer.status(), answer.headers(), answer.body())
        .map(result -> JobMove.to(result.state(rule), result.text()))
        .orElseGet(
            () -> JobMove.to(JobState.FAILED, none("result_headers_too_long").text()));
  }
}
