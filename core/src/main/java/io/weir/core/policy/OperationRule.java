package io.weir.core.policy;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Maps requests to an operation and a cost.
 *
 * @param name the operation
 * @param route the requests that match; empty if only the check API asks for the operation
 * @param cost how the cost is determined
 * @param excess the treatment of requests above the limits
 * @param settle how the final cost is determined; if empty, the initial charge stays
 * @param parts the settings of extensions
 */
public record OperationRule(
    String name,
    Optional<Route> route,
    CostRule cost,
    Excess excess,
    Optional<SettleRule> settle,
    Parts parts) {

  /**
   * The treatment of requests above the limits.
   *
   * @param maxDelayMillis the longest wait for which the gateway holds a request instead of rejecting it
   * @param unlimited whether none is counted
   * @param continues whether, as a later step of a batch, a request is counted but not rejected
   * @param stage the answer of a denial
   */
  public record Excess(
      long maxDelayMillis, boolean unlimited, boolean continues, Optional<Stage> stage) {}

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

  /**
   * The requests of an operation.
   *
   * @param methods in upper case; empty for any
   * @param head whether a route that names GET takes HEAD, too, where no other one names it (RFC 9110, section 9.3.2)
   */
  public record Route(Set<String> methods, PathPattern path, boolean head) {
    /** The method whose routes take HEAD, too. */
    public static final String GET = "GET";
    /** A method that routes of GET take, too. */
    public static final String HEAD = "HEAD";

    public Route {
      methods = Set.copyOf(methods);
    }

    /**
     * The first item whose route takes a request. HEAD is that of GET, unless a later route names HEAD for the path.
     *
     * @param method in upper case
     * @param path the segments of the decoded path
     */
    public static <T> Optional<T> first(
        List<T> items, Function<T, Optional<Route>> routeOf, String method, List<String> path) {
      Optional<T> first = find(items, routeOf, route -> route.takes(method, path));
      boolean implied =
          first.flatMap(routeOf).filter(route -> route.implies(method)).isPresent();
      return implied
          ? find(items, routeOf, route -> route.names(method) && route.path.matches(path))
              .or(() -> first)
          : first;
    }

    private static <T> Optional<T> find(
        List<T> items, Function<T, Optional<Route>> routeOf, Predicate<Route> wanted) {
      for (T item : items) {
        if (routeOf.apply(item).filter(wanted).isPresent()) {
          return Optional.of(item);
        }
      }
      return Optional.empty();
    }

    private boolean takes(String method, List<String> segments) {
      return takes(method) && path.matches(segments);
    }

    private boolean takes(String method) {
      return methods.isEmpty() || names(method) || implies(method);
    }

    private boolean names(String method) {
      return methods.contains(method);
    }

    private boolean implies(String method) {
      return head && method.equals(HEAD) && names(GET) && !names(HEAD);
    }

    /** Whether it takes requests of every method. */
    public boolean takesAllMethods() {
      return methods.isEmpty();
    }

    /** Whether no request is left for a later route. */
    public boolean covers(Route later) {
      return path.covers(later.path) && (methods.isEmpty() || coversMethods(later));
    }

    private boolean coversMethods(Route later) {
      boolean leavesHead = later.names(HEAD) ? !names(HEAD) : later.implies(HEAD) && !takes(HEAD);
      return !later.methods.isEmpty()
          && !leavesHead
          && later.methods.stream().allMatch(this::takes);
    }
  }
}
