package io.weir.operators.rehearsal;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.Policy;
import java.time.Instant;

/**
 * A candidate for the policy, which is decided beside the one in force until its time is over. Immutable.
 *
 * @param id other for each candidate
 * @param by the operator
 */
public record Candidate(String id, String by, Instant since, Instant until, Policy policy) {
  JsonObject toJson() {
    return new JsonObject()
        .put("id", id)
        .put("by", by)
        .put("since", since.toString())
        .put("until", until.toString());
  }
}
