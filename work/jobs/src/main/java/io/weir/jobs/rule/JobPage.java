package io.weir.jobs.rule;

import java.util.List;
import java.util.OptionalLong;

/**
 * Some jobs of an operation.
 *
 * @param queue of all that are not done
 * @param next where the next page begins; empty if this is the last one
 */
public record JobPage(JobQueue queue, List<Job> jobs, OptionalLong next) {
  public JobPage {
    jobs = List.copyOf(jobs);
  }
}
