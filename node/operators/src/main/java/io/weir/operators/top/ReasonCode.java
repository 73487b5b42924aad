package io.weir.operators.top;

import io.weir.core.decision.Decision.Reason;
import io.weir.core.policy.FrozenPart;
import io.weir.core.policy.OperationLimit;
import io.weir.core.policy.OperationLimit.Frozen;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The codes that stand in the place of a limit if a request was refused without a full one, and their words. */
public final class ReasonCode {
  /** Waiting callers come first. */
  public static final String BEFORE_SLOT = "before_slot";

  /** Redis did not answer. */
  public static final String STORE_UNAVAILABLE = "store_unavailable";

  private static final Map<String, String> WORDS = Map.of(
      frozen(FrozenPart.KEY),
      "key is frozen",
      frozen(FrozenPart.TENANT),
      "tenant is frozen",
      frozen(FrozenPart.PLAN),
      "plan is frozen",
      frozen(FrozenPart.OPERATION),
      "operation is frozen",
      Reason.ACCESS_DISABLED.code(),
      "access is frozen",
      Reason.OPERATION_NOT_CONFIGURED.code(),
      "no limit covers it",
      Reason.COST_EXCEEDS_CAPACITY.code(),
      "cost above the limit",
      BEFORE_SLOT,
      "others come first",
      STORE_UNAVAILABLE,
      "Redis is away");

  private ReasonCode() {}

  /**
   * The code of a refusal for good.
   *
   * @param limit of the operation, by the plan of the subject
   */
  public static String of(Reason reason, OperationLimit limit) {
    return reason == Reason.ACCESS_DISABLED && limit instanceof Frozen frozen
        ? frozen(frozen.part())
        : reason.code();
  }

  private static String frozen(FrozenPart part) {
    return part.name().toLowerCase(Locale.ROOT) + "_frozen";
  }

  /** Whether something is frozen: then a request is refused before its operation is looked for. */
  public static boolean isFrozen(String code) {
    return code.equals(Reason.ACCESS_DISABLED.code())
        || Stream.of(FrozenPart.values()).anyMatch(part -> code.equals(frozen(part)));
  }

  /** Whether all keys of the tenant are refused for it. */
  static boolean isOfTenant(String code) {
    return code.equals(frozen(FrozenPart.TENANT));
  }

  /** The code in words; empty if it is none, but the name of a limit. */
  public static Optional<String> words(String code) {
    return Optional.ofNullable(WORDS.get(code));
  }
}
