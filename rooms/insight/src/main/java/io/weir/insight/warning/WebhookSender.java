package io.weir.insight.warning;

import io.weir.client.RetryingHttpClient;
import io.weir.client.retry.RetryListener;
import io.weir.client.retry.RetryOptions;
import io.weir.client.retry.Retryer;
import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.Bulkhead.Share;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends webhooks to one receiver, one after the other, and again if it does not take them. What waits is bounded for a
 * key, a tenant and all. No redirect is followed, and no answer's body is read. Safe for use by many threads.
 */
final class WebhookSender {
  private static final Logger LOG = LoggerFactory.getLogger(WebhookSender.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int MOST_OF_KEY = 16;
  private static final int MOST_OF_TENANT = 64;
  private static final int MOST = 256;
  private static final int OK = 200;
  private static final int OK_END = 300;

  /** Some two minutes, then a message is given up; receivers need not accept older ones. */
  private static final RetryOptions RETRIES = RetryOptions.DEFAULT.with(options -> options
      .attempts(8)
      .initialBackoff(Duration.ofSeconds(1))
      .multiplier(2)
      .maxBackoff(Duration.ofSeconds(30))
      .deadline(Duration.ofMinutes(2))
      .tickets(false));

  private final Receiver receiver;
  private final HttpClient client;
  private final WarningMeters meters;
  private final Bulkhead bounds = new Bulkhead(MOST_OF_KEY, MOST_OF_TENANT, MOST);
  private final Queue<Waiting> queue = new ArrayDeque<>();
  private boolean isSending;

  /** A sender that retries as usual. */
  static WebhookSender of(Receiver receiver, HttpClient client, WarningMeters meters) {
    return new WebhookSender(
        receiver, RetryingHttpClient.wrap(client, Retryer.of(RETRIES, RetryListener.NONE)), meters);
  }

  /** @param client sends, and retries what has an {@code Idempotency-Key} */
  WebhookSender(Receiver receiver, HttpClient client, WarningMeters meters) {
    this.receiver = receiver;
    this.client = client;
    this.meters = meters;
  }

  /**
   * A message.
   *
   * @param id the same in each attempt, by which a receiver knows a repetition
   * @param timestamp in seconds
   */
  record Message(String id, String timestamp, String body) {}

  private record Waiting(Message message, Share share) {}

  /** Sends a message on behalf of a key; leaves it out if too many wait. Never waits. */
  void send(Message message, String key, String tenant) {
    Optional<Share> share = bounds.tryTake(key, tenant, 1);
    if (share.isEmpty()) {
      meters.leftOut();
      return;
    }
    synchronized (queue) {
      queue.add(new Waiting(message, share.get()));
    }
    next();
  }

  private void next() {
    Waiting waiting;
    synchronized (queue) {
      if (isSending || queue.isEmpty()) {
        return;
      }
      isSending = true;
      waiting = queue.remove();
    }
    CompletableFuture<?> unused = client
        .sendAsync(request(waiting.message()), head -> new Unread())
        .whenComplete((answer, error) -> {
          ended(Optional.ofNullable(answer), Optional.ofNullable(error));
          waiting.share().free();
          synchronized (queue) {
            isSending = false;
          }
          next();
        });
  }

  private HttpRequest request(Message message) {
    return HttpRequest.newBuilder(receiver.url())
        .timeout(TIMEOUT)
        .header("Content-Type", "application/json")
        .header("User-Agent", "weir")
        .header("webhook-id", message.id())
        .header("webhook-timestamp", message.timestamp())
        .header(
            "webhook-signature",
            receiver.signature(message.id(), message.timestamp(), message.body()))
        .header("Idempotency-Key", message.id())
        .POST(HttpRequest.BodyPublishers.ofString(message.body()))
        .build();
  }

  private void ended(Optional<HttpResponse<Void>> answer, Optional<Throwable> error) {
    boolean isDelivered =
        answer.filter(it -> it.statusCode() >= OK && it.statusCode() < OK_END).isPresent();
    if (isDelivered) {
      meters.delivered();
    } else {
      meters.failed();
      LOG.warn(
          "the receiver {} has not taken a warning: {}",
          receiver,
          answer
              .map(it -> "status " + it.statusCode())
              .or(() -> error.map(it -> it.getClass().getSimpleName()))
              .orElse("no answer"));
    }
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
