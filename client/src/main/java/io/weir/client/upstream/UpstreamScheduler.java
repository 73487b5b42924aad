package io.weir.client.upstream;

import io.weir.client.retry.Attempt;
import io.weir.client.retry.Call;
import io.weir.client.retry.Retryer;
import io.weir.client.retry.Timekeeper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Sends requests to the providers of one of Weir's upstreams by itself, when it is their turn: key slots, permits in flight,
 * cooldowns and breakers are those of the whole cluster ({@code POST /v1/permits}). Safe for use by many threads.
 */
public final class UpstreamScheduler {
  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(10);
  private static final int TELLINGS = 3;
  private static final Duration TOLD_AGAIN_AFTER = Duration.ofMillis(300);
  private static final long LONGEST_MILLIS = 3_600_000;
  private static final int RENEWALS_PER_LEASE = 3;
  private static final int CREATED = 201;
  private static final int NOT_FOUND = 404;

  private final HttpClient client;
  private final Retryer retryer;
  private final SchedulerOptions options;
  private final Timekeeper time;

  /**
   * A scheduler.
   *
   * @param client sends, to nodes and to providers; it should not send again by itself
   * @param retryer how turns are asked for again where a node says that there is none
   */
  public UpstreamScheduler(HttpClient client, Retryer retryer, SchedulerOptions options) {
    this(client, retryer, options, Timekeeper.system());
  }

  /** The same by another time. */
  public UpstreamScheduler(
      HttpClient client, Retryer retryer, SchedulerOptions options, Timekeeper time) {
    this.client = client;
    this.retryer = retryer;
    this.options = options;
    this.time = time;
  }

  Timekeeper time() {
    return time;
  }

  /**
   * Waits for a turn. It is held, and renewed, until it is told how it went; where this program dies, its lease ends.
   *
   * @return fails with {@link NoPermitException}, or as {@link Retryer#call} does; to cancel it is to wait no longer
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
   * Waits for a turn, sends, and tells how it went.
   *
   * @param request made for the provider and the key of the turn; where it throws, the turn is given back
   * @return what the provider answered; to cancel it is to give up, at whatever stage it is
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
    CompletableFuture<HttpResponse<T>> sent;
    try {
      sent = client.sendAsync(request.apply(permit), handler);
    } catch (Throwable e) {
      permit.unused();
      result.completeExceptionally(e);
      return;
    }
    CompletableFuture<?> unusedEnd = result.whenComplete((answer, error) -> {
      if (!permit.isOver()) {
        permit.unused();
        sent.cancel(true);
      }
    });
    CompletableFuture<?> unusedAnswer = sent.whenComplete((answer, error) -> {
      if (error == null) {
        try {
          permit.answered(answer);
        } finally {
          result.complete(answer);
        }
      } else {
        permit.failed();
        result.completeExceptionally(error);
      }
    });
  }

  private void renew(SendPermit permit, int node, Duration every) {
    permit.isRenewedBy(time.after(every, () -> {
      if (permit.isOver()) {
        return;
      }
      CompletableFuture<?> unused = client
          .sendAsync(post(node, permit.path() + "/renew", "{}"), BodyHandlers.discarding())
          .whenComplete((answer, error) -> {
            boolean isGone = error == null && answer.statusCode() == NOT_FOUND;
            if (!isGone && !permit.isOver()) {
              renew(permit, error == null ? node : node + 1, every);
            }
          });
    }));
  }

  void release(SendPermit permit, int status, long waitMillis, long tookMillis) {
    String told = "{\"status\":%d,\"retryAfterMs\":%d,\"latencyMs\":%d,\"group\":\"%s\"}"
        .formatted(
            status,
            Math.min(LONGEST_MILLIS, waitMillis),
            Math.min(LONGEST_MILLIS, tookMillis),
            options.group());
    tell(permit.node(), permit.path() + "/release", told, TELLINGS);
  }

  // To the next node where one is gone; where nobody hears it, the lease ends.
  private void tell(int node, String path, String told, int tries) {
    CompletableFuture<?> unused = client
        .sendAsync(post(node, path, told), BodyHandlers.discarding())
        .whenComplete((answer, error) -> {
          if (tries > 1 && (error != null || answer.statusCode() >= 500)) {
            Runnable unusedCancel =
                time.after(TOLD_AGAIN_AFTER, () -> tell(node + 1, path, told, tries - 1));
          }
        });
  }

  private URI node(int number) {
    return options.nodes().get(Math.floorMod(number, options.nodes().size()));
  }

  private HttpRequest post(int node, String path, String body) {
    return HttpRequest.newBuilder(node(node).resolve(path))
        .header("Authorization", "Bearer " + options.serviceToken())
        .header("Content-Type", "application/json")
        .timeout(ANSWER_TIMEOUT.plus(options.patience()))
        .POST(BodyPublishers.ofString(body))
        .build();
  }

  /** One turn being asked for. Mutable; its sendings follow one another. */
  private final class TakeCall implements Call<HttpResponse<String>> {
    private final CompletableFuture<SendPermit> result;
    private final AtomicInteger turn = new AtomicInteger();

    TakeCall(CompletableFuture<SendPermit> result) {
      this.result = result;
    }

    @Override
    public String upstream() {
      return options.nodes().get(0).toString();
    }

    @Override
    public String name() {
      return "POST %s/v1/permits of %s".formatted(upstream(), options.upstream());
    }

    @Override
    public boolean isRepeatable() {
      return true; // a turn that nobody heard of ends with its lease
    }

    // A question is not broken off: nobody would know whether there was a turn.
    @Override
    public CompletionStage<HttpResponse<String>> send(Attempt attempt) {
      String body = "{\"upstream\":\"%s\",\"group\":\"%s\",\"waitMs\":%d}"
          .formatted(options.upstream(), options.group(), options.patience().toMillis());
      int node = turn.get();
      CompletableFuture<HttpResponse<String>> heard = new CompletableFuture<>();
      CompletableFuture<?> unused = client
          .sendAsync(post(node, "/v1/permits", body), BodyHandlers.ofString())
          .whenComplete((answer, error) -> {
            if (error != null) {
              turn.incrementAndGet();
              heard.completeExceptionally(error);
              return;
            }
            attempt.isAnswer(answer.statusCode(), answer.headers()::allValues);
            try {
              if (answer.statusCode() == CREATED) {
                hold(node, answer);
              }
              heard.complete(answer);
            } catch (RuntimeException e) {
              heard.completeExceptionally(e);
            }
          });
      return heard;
    }

    // Where nobody waits for it any more it is given back at once.
    private void hold(int node, HttpResponse<String> answer) {
      SendPermit permit =
          new SendPermit(UpstreamScheduler.this, node, answer.headers(), time.nanoTime());
      long lease = answer.headers().firstValueAsLong("Weir-Lease-Ms").orElse(1000);
      renew(permit, node, Duration.ofMillis(Math.max(1, lease / RENEWALS_PER_LEASE)));
      if (!result.complete(permit)) {
        permit.unused();
      }
    }
  }
}
