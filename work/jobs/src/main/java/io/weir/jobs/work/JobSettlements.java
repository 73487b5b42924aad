package io.weir.jobs.work;

import io.weir.core.throttle.Held;
import io.weir.jobs.rule.JobSettlement;
import io.weir.jobs.store.RedisJobs;
import io.weir.state.hold.Holds;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Carries out the settlements of jobs that have ended. One that is not carried out, or not known to be, is handed out
 * again: only the first end of a reservation counts.
 */
record JobSettlements(RedisJobs store, Holds holds) {
  private static final long TRIED_MICROS = 5_000_000;

  void carryOut(String operation, List<JobSettlement> due) {
    due.forEach(one -> carryOut(operation, one));
  }

  private void carryOut(String operation, JobSettlement due) {
    Held held = new Held(due.tenant(), due.subject(), due.hold(), true, TRIED_MICROS, List.of());
    CompletionStage<Void> unused = holds
        .end(held, due.ending())
        .thenCompose(ended -> store.settled(operation, List.of(due)))
        .exceptionallyCompose(error -> CompletableFuture.completedFuture(null));
  }
}
