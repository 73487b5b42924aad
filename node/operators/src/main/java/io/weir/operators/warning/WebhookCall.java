package io.weir.operators.warning;

import io.weir.client.retry.Attempt;
import io.weir.client.retry.Call;
import io.weir.client.retry.Origin;
import io.weir.operators.warning.WebhookSender.Message;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import java.util.function.Supplier;

/**
 * A message to a receiver, signed anew in each attempt. Any answer other than 2xx is worth another attempt, and no
 * answer's body is read. Its result is the status of the last answer.
 */
record WebhookCall(Receiver receiver, HttpClient client, Message message, Supplier<Instant> time)
    implements Call<Integer> {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int TAKEN = 200;
  private static final int TAKEN_END = 300;

  /** Whether a receiver has taken a message. */
  static boolean isTaken(int status) {
    return status >= TAKEN && status < TAKEN_END;
  }

  @Override
  public String upstream() {
    return Origin.of(receiver.url()).toString();
  }

  // Without the address, whose path may be a secret.
  @Override
  public String name() {
    return "webhook " + receiver.name();
  }

  @Override
  public boolean isRepeatable() {
    return true; // a receiver knows a repetition by its id
  }

  @Override
  public boolean isTransient(int status) {
    return !isTaken(status);
  }

  @Override
  public CompletionStage<Integer> send(Attempt attempt) {
    CompletableFuture<HttpResponse<Void>> sent = client.sendAsync(request(), head -> {
      boolean unused = attempt.isAnswer(head.statusCode(), head.headers()::allValues);
      return new Unread();
    });
    return sent.thenApply(HttpResponse::statusCode);
  }

  private HttpRequest request() {
    String timestamp = Long.toString(time.get().getEpochSecond());
    return HttpRequest.newBuilder(receiver.url())
        .timeout(TIMEOUT)
        .header("Content-Type", "application/json")
        .header("User-Agent", "weir")
        .header("webhook-id", message.id())
        .header("webhook-timestamp", timestamp)
        .header("webhook-signature", receiver.signature(message.id(), timestamp, message.body()))
        .POST(BodyPublishers.ofString(message.body()))
        .build();
  }

  /** Ends an answer at its head: what follows may be endless. */
  private static final class Unread implements BodySubscriber<Void> {
    @Override
    public CompletionStage<Void> getBody() {
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public void onSubscribe(Subscription subscription) {
      subscription.cancel();
    }

    @Override
    public void onNext(List<ByteBuffer> part) {}

    @Override
    public void onError(Throwable error) {}

    @Override
    public void onComplete() {}
  }
}
