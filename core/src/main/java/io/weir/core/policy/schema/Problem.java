package io.weir.core.policy.schema;

/**
 * An error or a warning in a policy.
 *
 * @param code stable and in lower case, such as {@code group_rate_zero}
 * @param severity whether it prevents the policy from being loaded
 * @param location its place in the document
 * @param message the value found, and the expected one
 */
public record Problem(String code, Severity severity, Location location, String message) {

  /** The effect of a problem on the policy. */
  public enum Severity {
    /** The policy is refused. */
    ERROR,
    /** The policy is loaded anyway. */
    WARNING
  }

  @Override
  public String toString() {
    return "%s: %s %s: %s"
        .formatted(location, severity == Severity.ERROR ? "error" : "warning", code, message);
  }
}
