package io.weir.jobs.rule;

import java.util.List;

/**
 * Some jobs of an operation that are not done, in the order in which they will be.
 *
 * @param queue of all of them
 */
public record JobPage(JobQueue queue, List<Job> jobs) {
  public JobPage {
    jobs = List.copyOf(jobs);
  }
}
