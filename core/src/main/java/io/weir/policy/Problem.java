package io.weir.policy;

/**
 * One thing that is wrong, or worth a look, in a policy.
 *
 * @param code stable and in lower case, such as {@code group_rate_zero}
 * @param severity whether it keeps the policy from being loaded
 * @param location where it stands
 * @param message what is there, and what was expected
 */
public record Problem(String code, Severity severity, Location location, String message) {

  /** What a problem means for the policy. */
  public enum Severity {
    /** The policy is refused. */
    ERROR,
    /** The policy is loaded all the same. */
    WARNING
  }

  @Override
  public String toString() {
    return "%s: %s %s: %s"
        .formatted(location, severity == Severity.ERROR ? "error" : "warning", code, message);
  }
}
