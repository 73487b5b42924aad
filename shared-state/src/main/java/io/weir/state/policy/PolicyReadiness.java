package io.weir.state.policy;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Waits until every node that received a proposal has read it. Safe for use by many threads. */
final class PolicyReadiness {
  private static final long NOT_YET_KNOWN = Long.MAX_VALUE;

  private final CompletableFuture<Boolean> all = new CompletableFuture<>();
  private long expected = NOT_YET_KNOWN;
  private final Set<String> ready = new HashSet<>();

  /** Waits for as many nodes as have received the proposal. */
  synchronized void expect(long nodes) {
    expected = nodes;
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
    if (ready.size() >= expected) {
      all.complete(true);
    }
  }
}
