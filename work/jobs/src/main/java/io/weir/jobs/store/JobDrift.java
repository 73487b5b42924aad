package io.weir.jobs.store;

import io.weir.core.policy.Policy;
import io.weir.jobs.rule.JobParameter;
import io.weir.jobs.rule.JobRule;
import io.weir.state.audit.DriftCheck;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Compares the counters and the sets of queues of jobs with the jobs. */
public final class JobDrift {
  /** The check of all queues of a policy. */
  public static final DriftCheck CHECK =
      DriftCheck.of("jobs", "job_drift", JobKeys::of, JobDrift::queues);

  private JobDrift() {}

  private static Map<String, List<String>> queues(Policy policy) {
    Map<String, List<String>> queues = new HashMap<>();
    policy
        .routing()
        .rules()
        .forEach(rule -> JobRule.of(rule).ifPresent(job -> queues.put(rule.name(), times(job))));
    return queues;
  }

  /** The times of a queue that the command needs. */
  static List<String> times(JobRule rule) {
    return Stream.of(JobParameter.LEASE, JobParameter.TIMEOUT, JobParameter.KEEP)
        .map(parameter -> Long.toString(rule.micros(parameter)))
        .toList();
  }
}
