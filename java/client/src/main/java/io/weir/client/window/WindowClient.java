package io.weir.client.window;

import io.weir.client.retry.Retryer;
import io.weir.client.retry.Timekeeper;
import io.weir.client.window.OpenAnswer.Blocked;
import io.weir.client.window.OpenAnswer.Full;
import io.weir.client.window.OpenAnswer.NotNext;
import io.weir.client.window.OpenAnswer.Opened;
import io.weir.client.window.WindowNodes.Sending;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A window of ranges at Weir's nodes ({@code /v1/windows}): a planner opens ranges in order, workers claim and end them
 * in any order, and the planner commits their results in order. A request that gets no answer is repeated, at the next
 * node; it counts once. Safe for use by many threads.
 */
public final class WindowClient {
  private static final int OK = 200;
  private static final int CREATED = 201;
  private static final int FULL = 429;

  private final WindowNodes nodes;

  /**
   * A client of one window.
   *
   * @param client sends; it should not retry by itself
   * @param retryer how requests are repeated
   * @param nodes base addresses, at least one; if a node is down, the next one is used from then on
   * @param serviceToken the service token of the nodes
   * @param window of the policy
   * @throws IllegalArgumentException with the problem
   */
  public WindowClient(
      HttpClient client, Retryer retryer, List<URI> nodes, String serviceToken, String window) {
    this(client, retryer, nodes, serviceToken, window, Timekeeper.system());
  }

  /** The same with another clock. */
  public WindowClient(
      HttpClient client,
      Retryer retryer,
      List<URI> nodes,
      String serviceToken,
      String window,
      Timekeeper time) {
    this.nodes = new WindowNodes(new Sending(client, retryer, time), nodes, serviceToken, window);
  }

  /**
   * Opens a range, for a planner. If the window is full, it waits as it is told, and asks again as often as the retryer
   * does.
   *
   * @param from its first number
   * @param to its last number
   * @return fails with {@link WindowException}, or as {@link Retryer#call} does
   */
  public CompletableFuture<OpenAnswer> open(long from, long to) {
    return nodes.send("open", WindowJson.body("from", from, "to", to)).thenCompose(answer -> {
      int status = answer.statusCode();
      if (status == OK || status == CREATED) {
        return read(answer, json -> new Opened(status == CREATED, json.counts()));
      }
      if (status == FULL) {
        return read(answer, json -> new Full(nodes.waitOf(answer), json.counts()));
      }
      WindowException refused = nodes.refused("open", answer);
      return switch (refused.code()) {
        case "range_failed" ->
          read(answer, json -> new Blocked(json.number("from"), json.counts()));
        case "range_not_next" -> read(answer, json -> new NotNext(json.counts()));
        default -> CompletableFuture.failedFuture(refused);
      };
    });
  }

  /**
   * Claims the first range that is to be done, for a worker. While there is none, it asks again as it is told, until it
   * is cancelled. A range that arrives after that is released.
   *
   * @return fails as {@link #open} does
   */
  public CompletableFuture<RangeClaim> claim() {
    ClaimLoop loop = new ClaimLoop(nodes);
    loop.ask();
    return loop.result();
  }

  /** The counts of the window, and the ranges that have failed. */
  public CompletableFuture<WindowState> state() {
    return nodes
        .read("")
        .thenCompose(answer -> read(
            "state",
            answer,
            json -> new WindowState(
                json.number("width"), json.counts(), json.ranges("failed", "error"))));
  }

  /** The ranges that may be committed, in order, up to 100: done or skipped. */
  public CompletableFuture<List<WindowRange>> results() {
    return nodes
        .read("/results")
        .thenCompose(answer -> read("results", answer, json -> json.ranges("ranges", "result")));
  }

  /**
   * Commits the ranges up to a number, for a window that keeps results.
   *
   * @param through the last number of one of the {@link #results}
   */
  public CompletableFuture<WindowCounts> commit(long through) {
    return decide("commit", WindowJson.body("through", through));
  }

  /** Leaves out the failed range that begins with this number. */
  public CompletableFuture<WindowCounts> skip(long from) {
    return decide("skip", WindowJson.body("from", from));
  }

  /** Gives the failed range that begins with this number all its attempts again. */
  public CompletableFuture<WindowCounts> retry(long from) {
    return decide("retry", WindowJson.body("from", from));
  }

  /** Begins anew: all ranges are forgotten, and the next one may begin anywhere. */
  public CompletableFuture<WindowCounts> forget() {
    return decide("forget", WindowJson.body());
  }

  private CompletableFuture<WindowCounts> decide(String verb, String body) {
    return nodes.send(verb, body).thenCompose(answer -> read(verb, answer, WindowJson::counts));
  }

  private <T> CompletableFuture<T> read(
      String verb, HttpResponse<String> answer, Function<WindowJson, T> how) {
    return answer.statusCode() == OK
        ? read(answer, how)
        : CompletableFuture.failedFuture(nodes.refused(verb, answer));
  }

  static <T> CompletableFuture<T> read(
      HttpResponse<String> answer, Function<WindowJson, ? extends T> how) {
    try {
      return CompletableFuture.completedFuture(how.apply(WindowJson.read(answer.body())));
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
