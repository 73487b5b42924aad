package io.weir.jobs.store;

import io.weir.state.wire.RedisKeys;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The keys of jobs in Redis. */
public final class JobKeys {
  private static final List<String> PARTS = List.of(
      "waiting",
      "dispatch",
      "checking",
      "running",
      "ends",
      "states",
      "requests",
      "results",
      "counts",
      "polls",
      "places",
      "settlements");

  private static final List<String> STAGES = PARTS.subList(0, 4);

  private JobKeys() {}

  /** The sorted sets of the jobs of an operation that are not done, by what they wait for. */
  public static Map<String, String> stages(String operation) {
    List<String> keys = of(operation);
    Map<String, String> stages = new LinkedHashMap<>();
    STAGES.forEach(stage -> stages.put(stage, keys.get(1 + PARTS.indexOf(stage))));
    return stages;
  }

  /** The counters of the owners of an operation's jobs. */
  static String counts(String operation) {
    return of(operation).get(1 + PARTS.indexOf("counts"));
  }

  /** All jobs of an operation, by the time at which they time out or are forgotten. */
  static String ends(String operation) {
    return of(operation).get(1 + PARTS.indexOf("ends"));
  }

  /** The states of the jobs of an operation. */
  static String states(String operation) {
    return of(operation).get(1 + PARTS.indexOf("states"));
  }

  /** The settlements of jobs that have ended. */
  static String settlements(String operation) {
    return of(operation).get(PARTS.size());
  }

  /**
   * The keys of an operation's jobs, in the order of {@code job_submit.lua}; all are in one part of the shared state.
   */
  public static List<String> of(String operation) {
    String queue = RedisKeys.ofExtension("jobs", operation);
    return Stream.concat(Stream.of(queue), PARTS.stream().map(part -> queue + ":" + part))
        .toList();
  }
}
