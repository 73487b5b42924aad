package io.weir.operators.cases;

import io.weir.core.bucket.Scope;
import io.weir.node.admission.Witness.Question;
import io.weir.operators.top.LimitScope;
import java.util.Optional;

/**
 * The owner of a case and its limit. Immutable.
 *
 * @param key the id of the key; empty if the limit is one that the keys of the tenant share
 * @param limit the limit, or the reason if none is full
 */
public record CaseName(String tenant, Optional<String> key, String limit) {

  /** The case of a request: of its key if the limit is the key's own, else of its tenant. */
  public static CaseName of(Question question, String limit) {
    boolean isShared = LimitScope.of(question, limit).orElse(Scope.KEY) != Scope.KEY;
    return new CaseName(
        question.subject().tenant(),
        isShared ? Optional.empty() : Optional.of(question.subject().id()),
        limit);
  }
}
