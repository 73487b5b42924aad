package io.weir.node.resp.limit;

import io.weir.core.policy.Policy;
import io.weir.core.policy.PolicySection;
import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Section;
import io.weir.core.policy.schema.Table;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Reads which plans take the limits of requests. */
public final class RequestLimitsSection extends PolicySection<RequestLimits> {
  private static final Duration LONGEST = Duration.ofSeconds(RequestLimit.MAX_SECONDS);

  private static final Field<Long> MAX_AT_ONCE = Field.number(
          "maxAtOnce",
          1,
          RequestLimit.MOST,
          "the most operations that a limit may let pass at once")
      .or(RequestLimit.MOST);
  private static final Field<Long> MAX_OPS_PER_SEC = Field.number(
          "maxOpsPerSec", 1, RequestLimit.MOST, "the highest rate, in operations per second")
      .or(RequestLimit.MOST);
  private static final Field<Long> MAX_DRAIN = Field.duration(
          "maxDrain",
          Duration.ofMillis(1),
          LONGEST,
          "the longest time in which a full limit may drain; its state is kept as long")
      .or(LONGEST.toMillis());
  private static final Field<Map<String, Section>> REQUEST_LIMITS = Field.byName(
      "requestLimits",
      Table.of("requestLimits", MAX_AT_ONCE, MAX_OPS_PER_SEC, MAX_DRAIN),
      "the plans whose requests may [carry a limit](#limits-of-requests), by their names");

  public RequestLimitsSection() {
    super(Parent.POLICY, RequestLimits.PART, REQUEST_LIMITS);
  }

  @Override
  public Optional<RequestLimits> read(Section root) {
    Map<String, LimitBounds> bounds = new HashMap<>();
    root.get(REQUEST_LIMITS)
        .forEach((plan, section) -> bounds.put(
            plan,
            new LimitBounds(
                section.get(MAX_AT_ONCE), section.get(MAX_OPS_PER_SEC), section.get(MAX_DRAIN))));
    return bounds.isEmpty() ? Optional.empty() : Optional.of(new RequestLimits(bounds));
  }

  @Override
  public void check(Section root, Policy policy) {
    root.get(REQUEST_LIMITS).forEach((plan, section) -> {
      if (!policy.plans().containsKey(plan)) {
        section.error("plan_unknown", "no plan '%s'".formatted(plan));
      }
    });
  }
}
