package io.weir.policy;

import io.weir.job.JobRule;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
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
 * @param settle how its cost is found in the end; without it what was charged stays
 * @param stage which answer a denial has
 * @param job how its requests are done where they are accepted now and done later
 * @param upstream the upstream of providers that it goes to; else to the policy's only one
 * @param group of the upstream's operations: providers may serve some only, and want to be left alone for some only
 * @param attempts how often it is sent to its providers at most, where it says so
 * @param safeToRepeat whether it may be repeated though a provider may have acted upon it, where it says so
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
    Optional<JobRule> job,
    Optional<String> upstream,
    GroupRule group,
    OptionalLong attempts,
    Optional<Boolean> safeToRepeat) {

  /** When in the life of its work an operation is asked. */
  public enum Stage {
    /** At the door: whoever is denied has cost nothing yet, and hears that it is busy. */
    DOOR("busy"),
    /** Where the work is done: whoever is denied was let in before, and hears that a limit is exhausted. */
    EXECUTION("exhausted");

    private final String code;

    Stage(String code) {
      this.code = code;
    }

    /** The word of a denial in answers. */
    public String code() {
      return code;
    }
  }

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
