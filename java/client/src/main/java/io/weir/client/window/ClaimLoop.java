package io.weir.client.window;

import io.weir.client.retry.Retryer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Asks for a range until there is one, or no caller wants it any more. Mutable; its requests run one after another.
 */
final class ClaimLoop {
  private static final int OK = 200;
  private static final int NOTHING = 204;

  private final WindowNodes nodes;
  private final CompletableFuture<RangeClaim> result = new CompletableFuture<>();
  private volatile Runnable waiting = () -> {};

  ClaimLoop(WindowNodes nodes) {
    this.nodes = nodes;
    CompletableFuture<?> unused = result.whenComplete((claim, error) -> waiting.run());
  }

  /** The claim; fails as {@link Retryer#call} does. */
  CompletableFuture<RangeClaim> result() {
    return result;
  }

  void ask() {
    if (result.isDone()) {
      return;
    }
    CompletableFuture<?> unused = nodes
        .send("claim", WindowJson.body())
        .whenComplete((answer, error) -> {
          if (error == null) {
            answered(answer);
          } else {
            result.completeExceptionally(
                error instanceof CompletionException && error.getCause() != null
                    ? error.getCause()
                    : error);
          }
        });
  }

  private void answered(HttpResponse<String> answer) {
    if (answer.statusCode() == NOTHING) {
      waiting = nodes.time().after(nodes.waitOf(answer), this::ask);
      if (result.isDone()) {
        waiting.run();
      }
    } else if (answer.statusCode() == OK) {
      claimed(answer);
    } else {
      result.completeExceptionally(nodes.refused("claim", answer));
    }
  }

  private void claimed(HttpResponse<String> answer) {
    RangeClaim claim;
    try {
      claim = new RangeClaim(nodes, WindowJson.read(answer.body()));
    } catch (IOException e) {
      result.completeExceptionally(e);
      return;
    }
    claim.keep();
    if (!result.complete(claim)) {
      CompletableFuture<String> unused = claim.release(); // no caller waits for it any more
    }
  }
}
