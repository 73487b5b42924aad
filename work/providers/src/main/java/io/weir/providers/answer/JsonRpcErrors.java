package io.weir.providers.answer;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.json.JsonInput;
import io.weir.node.upstream.AttemptOutcome;
import io.weir.providers.rule.JsonRpcRule;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Errors of JSON-RPC behind a status of 200: those that mean 429, and those that the policy calls failures. The codes
 * that mean 429 are those of blockchain providers, as in Chainlake's scheduler. Ethereum's nodes use −32000 also for a
 * call that reverts: that code counts only if its message names a limit.
 */
public final class JsonRpcErrors {
  private static final Set<Integer> TOO_MANY_CODES = Set.of(-32_005, -32_016, 10_007);
  private static final int SERVER_ERROR = -32_000;
  private static final Pattern OF_A_LIMIT =
      Pattern.compile("limit|too many|capacity|quota|throttl", Pattern.CASE_INSENSITIVE);
  // Messages of contracts, and errors of gas.
  private static final Pattern OF_A_CALL =
      Pattern.compile("revert|gas|execution|stack|size", Pattern.CASE_INSENSITIVE);
  private static final int TOO_MANY = 429;
  private static final int FAILED = 502;

  private JsonRpcErrors() {}

  /** The outcome of an answer that is such an error; a batch of answers counts if each of them is one. */
  public static Optional<AttemptOutcome> outcome(Buffer body, JsonRpcRule rule) {
    List<JsonObject> answers = answers(body);
    if (answers.isEmpty()) {
      return Optional.empty();
    }
    if (answers.stream().allMatch(one -> isLimited(one, rule.limits()))) {
      return Optional.of(AttemptOutcome.answered(
          TOO_MANY, answers.stream().mapToLong(JsonRpcErrors::waitMillis).max().orElse(0)));
    }
    boolean areFailures = answers.stream()
        .allMatch(one -> isFailure(one, rule.failures()) || isLimited(one, rule.limits()));
    return areFailures ? Optional.of(AttemptOutcome.answered(FAILED, 0)) : Optional.empty();
  }

  /** The answer, or those of a batch; nothing if one of them is no object. */
  private static List<JsonObject> answers(Buffer body) {
    Object answer;
    try {
      answer = JsonInput.value(body);
    } catch (DecodeException e) {
      return List.of();
    }
    if (answer instanceof JsonArray several) {
      boolean areObjects = several.stream().allMatch(JsonObject.class::isInstance);
      return areObjects ? several.stream().map(JsonObject.class::cast).toList() : List.of();
    }
    return answer instanceof JsonObject one ? List.of(one) : List.of();
  }

  private static boolean isFailure(JsonObject answer, Set<Integer> codes) {
    return answer.getValue("error") instanceof JsonObject error
        && error.getValue("code") instanceof Integer code
        && codes.contains(code);
  }

  private static boolean isLimited(JsonObject answer, Set<Integer> codes) {
    return answer.getValue("error") instanceof JsonObject error
        && error.getValue("code") instanceof Integer code
        && (TOO_MANY_CODES.contains(code)
            || codes.contains(code)
            || (code == SERVER_ERROR && speaksOfALimit(error)));
  }

  private static boolean speaksOfALimit(JsonObject error) {
    return error.getValue("message") instanceof String message
        && OF_A_LIMIT.matcher(message).find()
        && !OF_A_CALL.matcher(message).find();
  }

  // Infura's format: {"data": {"rate": {"backoff_seconds": 30}}}
  private static long waitMillis(JsonObject answer) {
    JsonObject error = answer.getJsonObject("error");
    return error.getValue("data") instanceof JsonObject data
            && data.getValue("rate") instanceof JsonObject rate
            && rate.getValue("backoff_seconds") instanceof Number seconds
        ? (long)
            Math.min(ProviderAnswers.LONGEST_WAIT_MILLIS, Math.max(0, seconds.doubleValue() * 1000))
        : 0;
  }
}
