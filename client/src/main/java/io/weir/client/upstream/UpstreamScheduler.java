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
import java.util.concurrent.CompletionException;
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
   * @return fails with {@link NoPermitException}, or as {@link Retryer#call} does
   */
  public CompletableFuture<SendPermit> take() {
    TakeCall call = new TakeCall();
    return retryer.call(call).thenApply(answer -> {
      if (answer.statusCode() != CREATED) {
        throw new CompletionException(new NoPermitException(answer.statusCode(), answer.body()));
      }
      SendPermit permit = new SendPermit(this, call.node(), answer.headers(), time.nanoTime());
      long lease = answer.headers().firstValueAsLong("Weir-Lease-Ms").orElse(1000);
      renew(permit, Duration.ofMillis(Math.max(1, lease / RENEWALS_PER_LEASE)));
      return permit;
    });
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
    CompletableFuture<?> unused = taken.whenComplete((permit, error) -> {
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
    } catch (RuntimeException e) {
      permit.unused();
      result.completeExceptionally(e);
      return;
    }
    CompletableFuture<?> unusedAnswer = sent.whenComplete((answer, error) -> {
      if (error == null) {
        permit.answered(answer);
        result.complete(answer);
      } else {
        permit.failed();
        result.completeExceptionally(error);
      }
    });
    CompletableFuture<?> unusedEnd = result.whenComplete((answer, error) -> {
      if (result.isCancelled()) {
        permit.unused();
        sent.cancel(true);
      }
    });
  }

  private void renew(SendPermit permit, Duration every) {
    permit.isRenewedBy(time.after(every, () -> {
      if (!permit.isOver()) {
        CompletableFuture<?> unused =
            client.sendAsync(post(permit.place() + "/renew", "{}"), BodyHandlers.discarding());
        renew(permit, every);
      }
    }));
  }

  void release(SendPermit permit, int status, long waitMillis, long tookMillis) {
    String told = "{\"status\":%d,\"retryAfterMs\":%d,\"latencyMs\":%d,\"group\":\"%s\"}"
        .formatted(
            status,
            Math.min(LONGEST_MILLIS, waitMillis),
            Math.min(LONGEST_MILLIS, tookMillis),
            options.group());
    tell(post(permit.place() + "/release", told), TELLINGS);
  }

  // Where nobody hears it, the lease ends.
  private void tell(HttpRequest release, int tries) {
    CompletableFuture<?> unused = client
        .sendAsync(release, BodyHandlers.discarding())
        .whenComplete((answer, error) -> {
          if (tries > 1 && (error != null || answer.statusCode() >= 500)) {
            Runnable unusedCancel = time.after(TOLD_AGAIN_AFTER, () -> tell(release, tries - 1));
          }
        });
  }

  private HttpRequest post(String uri, String body) {
    return HttpRequest.newBuilder(URI.create(uri))
        .header("Authorization", "Bearer " + options.serviceToken())
        .header("Content-Type", "application/json")
        .timeout(ANSWER_TIMEOUT.plus(options.patience()))
        .POST(BodyPublishers.ofString(body))
        .build();
  }

  /** One turn being asked for. Mutable; its sendings follow one another. */
  private final class TakeCall implements Call<HttpResponse<String>> {
    private final AtomicInteger turn = new AtomicInteger();

    private URI node() {
      return options.nodes().get(Math.floorMod(turn.get(), options.nodes().size()));
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

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // it follows what is given back
    public CompletionStage<HttpResponse<String>> send(Attempt attempt) {
      String body = "{\"upstream\":\"%s\",\"group\":\"%s\",\"waitMs\":%d}"
          .formatted(options.upstream(), options.group(), options.patience().toMillis());
      CompletableFuture<HttpResponse<String>> sent = client.sendAsync(
          post(node().resolve("/v1/permits").toString(), body), BodyHandlers.ofString());
      CompletableFuture<HttpResponse<String>> heard = sent.whenComplete((answer, error) -> {
        if (error != null) {
          turn.incrementAndGet();
        } else {
          attempt.isAnswer(answer.statusCode(), answer.headers()::allValues);
        }
      });
      heard.whenComplete((answered, error) -> sent.cancel(true));
      return heard;
    }
  }
}
