package io.weir.core.policy;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Maps requests to an operation and a cost.
 *
 * @param name the operation
 * @param route the requests that match; empty if only the check API asks for the operation
 * @param cost how the cost is determined
 * @param maxDelayMillis the longest wait for which the gateway holds a request instead of rejecting it
 * @param unlimited whether it is never counted
 * @param continues whether, as a later step of a batch, it is counted but not rejected
 * @param settle how the final cost is determined; if empty, the initial charge stays
 * @param stage the answer of a denial
 * @param parts the settings of rooms
 */
public record OperationRule(
    String name,
    Optional<Route> route,
    CostRule cost,
    long maxDelayMillis,
    boolean unlimited,
    boolean continues,
    Optional<SettleRule> settle,
    Optional<Stage> stage,
    Parts parts) {

  /** The point in a request's life at which an operation is checked. */
  public enum Stage {
    /** At the entry: a denied caller has caused no cost yet; the answer is that Weir is busy. */
    DOOR("busy"),
    /** At execution: a denied caller was admitted before; the answer is that a limit is exhausted. */
    EXECUTION("exhausted");

    private final String code;

    Stage(String code) {
      this.code = code;
    }

    /** The code of a denial in answers. */
    public String code() {
      return code;
    }
  }

  /** Whether a request matches this rule. */
  boolean matches(String method, List<String> path) {
    return route.isPresent() && route.get().matches(method, path);
  }

  /**
   * The requests of an operation.
   *
   * @param methods in upper case; empty for any
   */
  public record Route(Set<String> methods, PathPattern path) {
    boolean matches(String method, List<String> segments) {
      return (methods.isEmpty() || methods.contains(method)) && path.matches(segments);
    }

    boolean covers(Route other) {
      boolean allMethods =
          methods.isEmpty() || (!other.methods.isEmpty() && methods.containsAll(other.methods));
      return allMethods && path.covers(other.path);
    }
  }
}
