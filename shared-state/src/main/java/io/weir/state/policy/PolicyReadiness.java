package io.weir.state.policy;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Waits until every node that received a proposal has read it. Safe for use by many threads. */
final class PolicyReadiness {
  private static final long NOT_YET_TOLD = Long.MAX_VALUE;

  private final CompletableFuture<Boolean> all = new CompletableFuture<>();
  private long told = NOT_YET_TOLD;
  private final Set<String> ready = new HashSet<>();

  synchronized void told(long nodes) {
    told = nodes;
    completeWhereAllAreReady();
  }

  synchronized void isReady(String node) {
    ready.add(node);
    completeWhereAllAreReady();
  }

  /** Completes with true once all are ready, with false after {@code atMost}. */
  CompletionStage<Boolean> within(Duration atMost) {
    return all.completeOnTimeout(false, atMost.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void completeWhereAllAreReady() {
    if (ready.size() >= told) {
      all.complete(true);
    }
  }
}
