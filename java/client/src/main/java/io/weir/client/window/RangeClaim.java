package io.weir.client.window;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A range that this worker has claimed. It is renewed until it has ended, for a day at most; if this program dies, the
 * range is handed out again after its lease. Safe for use by many threads.
 */
public final class RangeClaim {
  private static final Duration LONGEST_HELD = Duration.ofDays(1);
  private static final int RENEWALS_PER_LEASE = 3;
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;
  private static final int CONFLICT = 409;

  private final WindowNodes nodes;
  private final long from;
  private final long to;
  private final long attempt;
  private final String claim;
  private final Duration every;
  private final long claimedNanos;
  private volatile boolean isOver;
  private volatile boolean isLost;
  /** Whether an end is under way: a renewal that is refused meanwhile says nothing. */
  private volatile boolean isEnding;

  private volatile Runnable renewal = () -> {};

  RangeClaim(WindowNodes nodes, WindowJson body) {
    this.nodes = nodes;
    this.from = body.number("from");
    this.to = body.number("to");
    this.attempt = body.number("attempt");
    this.claim = body.text("claim");
    this.every = Duration.ofMillis(Math.max(1, body.number("leaseMs") / RENEWALS_PER_LEASE));
    this.claimedNanos = nodes.time().nanoTime();
  }

  /** The first number of the range. */
  public long from() {
    return from;
  }

  /** The last number of the range. */
  public long to() {
    return to;
  }

  /** The number of this attempt, from 1. */
  public long attempt() {
    return attempt;
  }

  /** Whether another worker may have the range: what this one does is in vain. */
  public boolean isLost() {
    return isLost;
  }

  /**
   * The range is done.
   *
   * @param result at most 4096 bytes of UTF-8; empty for none
   * @return the new state of the range, such as {@code done}; fails with {@link WindowException} if the claim is over
   */
  public CompletableFuture<String> finish(String result) {
    return end(
        "finish",
        result.isEmpty()
            ? WindowJson.body("from", from, "claim", claim)
            : WindowJson.body("from", from, "claim", claim, "result", result));
  }

  /**
   * The range cannot be done now: it is tried again after a while, or has failed after its last attempt.
   *
   * @param error the reason, for operators: at most 4096 bytes of UTF-8
   * @return as of {@link #finish}
   */
  public CompletableFuture<String> fail(String error) {
    return end("fail", WindowJson.body("from", from, "claim", claim, "error", error));
  }

  /** The range was not begun: it is handed out again, and that is no attempt. Returns as {@link #finish} does. */
  public CompletableFuture<String> release() {
    return end("release", WindowJson.body("from", from, "claim", claim));
  }

  // If no node answers, or the request is wrong, the claim is kept: the caller may end it again.
  private CompletableFuture<String> end(String verb, String body) {
    isEnding = true;
    return nodes
        .send(verb, body)
        .whenComplete((answer, error) -> isEnding = false)
        .thenCompose(answer -> {
          boolean isDone = answer.statusCode() == OK;
          if (isDone || isRefused(answer)) {
            ended(!isDone);
          }
          return isDone
              ? WindowClient.read(answer, json -> json.text("state"))
              : CompletableFuture.failedFuture(nodes.refused(verb, answer));
        });
  }

  /** Renews it, three times in each lease. */
  void keep() {
    renewal = nodes.time().after(every, this::renew);
    if (isOver) {
      renewal.run();
    }
  }

  private void renew() {
    if (isOver || nodes.time().nanoTime() - claimedNanos > LONGEST_HELD.toNanos()) {
      return;
    }
    CompletableFuture<?> unused = nodes
        .sendOnce("renew", WindowJson.body("from", from, "claim", claim))
        .whenComplete((answer, error) -> {
          if (error == null && isRefused(answer) && !isEnding) {
            ended(true);
          } else if (!isOver) {
            keep();
          }
        });
  }

  private static boolean isRefused(HttpResponse<String> answer) {
    return answer.statusCode() == NOT_FOUND || answer.statusCode() == CONFLICT;
  }

  private void ended(boolean wasLost) {
    if (wasLost && !isOver) {
      isLost = true;
    }
    isOver = true;
    renewal.run();
  }
}
