package io.weir.policy;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * How requests become an operation and a cost.
 *
 * @param name the operation
 * @param route which requests; empty where only the check API asks for the operation
 * @param cost how much they take
 * @param maxDelayMillis up to which wait the gateway holds a request instead of rejecting it
 * @param unlimited whether it is never counted
 * @param continues whether, as a later step of a batch, it is counted but not rejected
 */
public record OperationRule(
    String name,
    Optional<Route> route,
    CostRule cost,
    long maxDelayMillis,
    boolean unlimited,
    boolean continues) {

  /** Whether a request is this operation. */
  boolean matches(String method, List<String> path) {
    return route.isPresent() && route.get().matches(method, path);
  }

  /**
   * Which requests.
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
