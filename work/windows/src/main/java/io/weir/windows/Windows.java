package io.weir.windows;

import io.weir.core.policy.PartKey;
import io.weir.core.policy.Policy;
import java.util.Map;

/**
 * The windows of a policy.
 *
 * @param byName the windows of ordered ranges
 */
public record Windows(Map<String, WindowRule> byName) {
  /** The windows of a policy. */
  public static final PartKey<Windows> PART = new PartKey<>("windows", Windows.class);

  public Windows {
    byName = Map.copyOf(byName);
  }

  /** The windows of a policy, by name. */
  public static Map<String, WindowRule> of(Policy policy) {
    return policy.parts().get(PART).map(Windows::byName).orElse(Map.of());
  }
}
