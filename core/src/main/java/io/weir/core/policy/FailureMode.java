package io.weir.core.policy;

import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Words;
import java.util.Map;

/** The treatment of a plan's requests during an outage of the shared state. */
public enum FailureMode {
  /** Each node enforces its share of the limits by itself. */
  LOCAL,
  /** They are refused. */
  DENY,
  /** They pass uncounted. */
  ALLOW;

  private static final Map<String, FailureMode> WORDS =
      Words.of("local", LOCAL, "deny", DENY, "allow", ALLOW);

  /** How the requests of a plan, or of all plans, are treated while Redis is away. */
  public static final Field<FailureMode> FIELD = Field.choice(
      "failureMode",
      WORDS,
      "[while Redis is away](../explanation/outages.md): each node enforces its share; 503 with `Retry-After`; or"
          + " requests pass uncounted. Set for the policy (default: `local`) or one plan");
}
