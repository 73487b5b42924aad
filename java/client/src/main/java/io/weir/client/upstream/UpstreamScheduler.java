package io.weir.client.upstream;

import io.weir.client.retry.Attempt;
import io.weir.client.retry.Call;
import io.weir.client.retry.Retryer;
import io.weir.client.retry.Timekeeper;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Sends requests directly to the providers of one of Weir's upstreams when it has a permit: key slots, permits in
 * flight, cooldowns and breakers are those of the whole cluster ({@code POST /v1/permits}). Safe for use by many
 * threads.
 */
public final class UpstreamScheduler {
  private static final int CREATED = 201;
  private static final int SERVER_ERRORS = 500;

  private final HttpClient client;
  private final Retryer retryer;
  private final SchedulerOptions options;
  private final Timekeeper time;
  private final PermitNodes nodes;
  /** The node that is tried first. */
  private final AtomicInteger wellNode = new AtomicInteger();

  /**
   * A scheduler.
   *
   * @param client sends, to nodes and to providers; it should not retry by itself
   * @param retryer how permits are requested again if a node has none
   */
  public UpstreamScheduler(HttpClient client, Retryer retryer, SchedulerOptions options) {
    this(client, retryer, options, Timekeeper.system());
  }

  /** The same with another clock. */
  public UpstreamScheduler(
      HttpClient client, Retryer retryer, SchedulerOptions options, Timekeeper time) {
    this.client = client;
    this.retryer = retryer;
    this.options = options;
    this.time = time;
    this.nodes = new PermitNodes(client, options, time);
  }

  /**
   * Waits for a permit. It is held, and renewed, until its result is reported, for an hour at most; if this program
   * dies, its lease ends.
   *
   * @return fails with {@link NoPermitException}, or as {@link Retryer#call} does; cancelling it ends the wait
   */
  public CompletableFuture<SendPermit> take() {
    CompletableFuture<SendPermit> result = new CompletableFuture<>();
    TakeCall call = new TakeCall(result);
    CompletableFuture<HttpResponse<String>> asked = retryer.call(call);
    CompletableFuture<?> unusedAnswer = asked.whenComplete((answer, error) -> {
      if (error != null) {
        result.completeExceptionally(error);
      } else if (answer.statusCode() != CREATED) {
        result.completeExceptionally(new NoPermitException(answer.statusCode(), answer.body()));
      }
    });
    CompletableFuture<?> unusedEnd = result.whenComplete((permit, error) -> asked.cancel(true));
    return result;
  }

  /**
   * Waits for a permit, sends, and reports the result.
   *
   * @param request made for the provider and the key of the permit; if it throws, the permit is given back. Without a
   *     timeout, it gets that of the policy
   * @return the provider's answer; cancelling it gives up at any stage
   */
  public <T> CompletableFuture<HttpResponse<T>> send(
      Function<SendPermit, HttpRequest> request, BodyHandler<T> handler) {
    CompletableFuture<HttpResponse<T>> result = new CompletableFuture<>();
    CompletableFuture<SendPermit> taken = take();
    CompletableFuture<?> unusedTurn = taken.whenComplete((permit, error) -> {
      if (error != null) {
        result.completeExceptionally(error);
      } else {
        send(permit, request, handler, result);
      }
    });
    CompletableFuture<?> unusedEnd = result.whenComplete((answer, error) -> taken.cancel(true));
    return result;
  }

  private <T> void send(
      SendPermit permit,
      Function<SendPermit, HttpRequest> request,
      BodyHandler<T> handler,
      CompletableFuture<HttpResponse<T>> result) {
    if (result.isDone()) {
      permit.unused();
      return;
    }
    WatchedAnswer<T> answer = new WatchedAnswer<>(handler, time, permit.timeout(), over -> {
      report(permit, over);
      if (over.isSilent()) {
        result.completeExceptionally(new HttpTimeoutException("the answer does not go on"));
      }
    });
    CompletableFuture<HttpResponse<T>> sent;
    try {
      sent = client.sendAsync(inTime(request.apply(permit), permit.timeout()), answer);
    } catch (Throwable e) {
      permit.unused();
      result.completeExceptionally(e);
      return;
    }
    CompletableFuture<?> unusedEnd = result.whenComplete((outcome, error) -> {
      if (error != null) {
        permit.unused(); // if it is not over yet
        sent.cancel(true);
      }
    });
    CompletableFuture<?> unusedAnswer = sent.whenComplete((outcome, error) -> {
      if (error == null) {
        result.complete(outcome);
      } else {
        report(permit, answer);
        result.completeExceptionally(error);
      }
    });
  }

  // Whatever the program did with the body, the provider has answered.
  private static void report(SendPermit permit, WatchedAnswer<?> answer) {
    answer
        .head()
        .filter(head -> !answer.hasFailed())
        .ifPresentOrElse(
            head ->
                permit.answered(head.statusCode(), head.headers()::allValues, answer.headNanos()),
            permit::failed);
  }

  // A silent provider would hold the permit for ever.
  private static HttpRequest inTime(HttpRequest request, Duration timeout) {
    return request.timeout().isPresent()
        ? request
        : HttpRequest.newBuilder(request, (name, value) -> true)
            .timeout(timeout)
            .build();
  }

  // All nodes say the same about the upstream.
  private static boolean isUnwell(HttpResponse<String> answer) {
    return answer.statusCode() >= SERVER_ERRORS && !answer.body().contains("\"upstream_");
  }

  /** One request for a permit. Mutable; its attempts run one after another. */
  private final class TakeCall implements Call<HttpResponse<String>> {
    private final CompletableFuture<SendPermit> result;

    TakeCall(CompletableFuture<SendPermit> result) {
      this.result = result;
    }

    // The name of all nodes together: the failure of one says nothing about the others.
    @Override
    public String upstream() {
      return "permits of " + options.upstream();
    }

    @Override
    public String name() {
      return "POST /v1/permits of " + options.upstream();
    }

    @Override
    public boolean isRepeatable() {
      return true; // a permit whose answer was lost ends with its lease
    }

    // The request is not cancelled: it would be unknown whether a permit was given.
    @Override
    public CompletionStage<HttpResponse<String>> send(Attempt attempt) {
      CompletableFuture<HttpResponse<String>> received = new CompletableFuture<>();
      ask(attempt, wellNode.get(), options.nodes().size(), received);
      return received;
    }

    // Tries the next node if one is down, or cannot reach the shared state.
    private void ask(
        Attempt attempt, int node, int left, CompletableFuture<HttpResponse<String>> received) {
      if (result.isDone()) {
        received.cancel(false); // no caller wants the permit any more
        return;
      }
      CompletableFuture<?> unused = client
          .sendAsync(nodes.question(node), BodyHandlers.ofString())
          .whenComplete((answer, error) -> {
            if (left > 1 && (error != null || isUnwell(answer))) {
              wellNode.compareAndSet(node, node + 1);
              ask(attempt, node + 1, left - 1, received);
            } else if (error != null) {
              received.completeExceptionally(error);
            } else {
              answered(attempt, node, answer, received);
            }
          });
    }

    private void answered(
        Attempt attempt,
        int node,
        HttpResponse<String> answer,
        CompletableFuture<HttpResponse<String>> received) {
      attempt.isAnswer(answer.statusCode(), answer.headers()::allValues);
      try {
        if (answer.statusCode() == CREATED) {
          hold(node, answer);
        }
        received.complete(answer);
      } catch (RuntimeException e) {
        received.completeExceptionally(e);
      }
    }

    // If no caller waits for it any more, it is given back at once.
    private void hold(int node, HttpResponse<String> answer) {
      SendPermit permit = new SendPermit(nodes, node, answer.headers());
      nodes.renew(permit, node);
      if (!result.complete(permit)) {
        permit.unused();
      }
    }
  }
}
