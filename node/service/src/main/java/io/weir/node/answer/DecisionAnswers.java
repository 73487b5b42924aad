package io.weir.node.answer;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.weir.core.answer.AnswerFields;
import io.weir.core.answer.Problem;
import io.weir.core.bucket.Demand;
import io.weir.core.decision.Decision;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** Writes decisions as HTTP headers and problem details. */
public final class DecisionAnswers {
  private static final CharSequence RATE_LIMIT = HttpHeaders.createOptimized("RateLimit");
  private static final CharSequence RATE_LIMIT_POLICY =
      HttpHeaders.createOptimized("RateLimit-Policy");
  private static final int MAX_READY = 4096;
  /** By the identity of the demands: of their list, or of the only one. */
  private static final ThreadLocal<Map<Object, CharSequence>> READY =
      ThreadLocal.withInitial(IdentityHashMap::new);

  private DecisionAnswers() {}

  /** Adds the {@link AnswerFields} of a decision. */
  public static void addHeaders(Decision decision, MultiMap headers) {
    if (!decision.limits().isEmpty()) {
      headers.set(RATE_LIMIT_POLICY, policy(decision));
      headers.set(RATE_LIMIT, AnswerFields.standing(decision.limits()));
    }
    AnswerFields.setOthers(decision, (name, value) -> headers.set(name, value));
  }

  /** The answer to a denied or never allowed request for an operation. */
  public static ProblemDetails problem(String operation, Decision refusal) {
    return new ProblemDetails(Problem.refusing(operation, refusal));
  }

  // The header is the same for all decisions of an operation by a plan: cached per thread.
  private static CharSequence policy(Decision decision) {
    List<Demand> demands = decision.demands();
    if (demands.isEmpty() || demands.size() != decision.limits().size()) {
      return AnswerFields.policy(decision.limits());
    }
    Map<Object, CharSequence> ready = READY.get();
    if (ready.size() >= MAX_READY) {
      ready.clear();
    }
    // A denial by a shared bucket lists that bucket alone, each in a list of its own.
    return ready.computeIfAbsent(
        demands.size() == 1 ? demands.get(0) : demands,
        same -> HttpHeaders.createOptimized(AnswerFields.policy(decision.limits())));
  }
}
