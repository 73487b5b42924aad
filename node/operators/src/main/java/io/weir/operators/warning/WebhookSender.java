package io.weir.operators.warning;

import static java.util.Objects.requireNonNull;

import io.weir.client.retry.RetryListener;
import io.weir.client.retry.RetryOptions;
import io.weir.client.retry.Retryer;
import io.weir.core.policy.Subject;
import io.weir.core.throttle.Failures;
import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.Bulkhead.Portion;
import java.net.http.HttpClient;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends webhooks to one receiver, one after the other, and again if it does not take them. What waits is bounded for a
 * key, a tenant and all. Safe for use by many threads.
 */
final class WebhookSender {
  private static final Logger LOG = LoggerFactory.getLogger(WebhookSender.class);
  private static final int MOST_OF_KEY = 8;
  private static final int MOST_OF_TENANT = 32;
  private static final int MOST = 256;
  /** An older warning is worth nothing, behind a receiver that was away. */
  private static final Duration LIVES = Duration.ofMinutes(5);

  private static final Duration TRIED_FOR = Duration.ofMinutes(2);
  private static final RetryOptions RETRIES = RetryOptions.DEFAULT.with(options -> options
      .attempts(8)
      .initialBackoff(Duration.ofSeconds(1))
      .multiplier(2)
      .maxBackoff(Duration.ofSeconds(30))
      .maxWait(TRIED_FOR)
      .deadline(TRIED_FOR)
      .tickets(false));

  private final Receiver receiver;
  private final HttpClient client;
  private final Retryer retryer;
  private final Retryer once = Retryer.of(RETRIES.with(it -> it.attempts(1)), RetryListener.NONE);
  private final WarningMeters meters;
  private final Supplier<Instant> time;
  private final Bulkhead bounds = new Bulkhead(MOST_OF_KEY, MOST_OF_TENANT, MOST);
  private final Queue<Waiting> queue = new ArrayDeque<>();
  private @Nullable CompletableFuture<Integer> sending; // guarded by queue
  private boolean isClosed; // guarded by queue
  private final AtomicReference<Deliveries> deliveries = new AtomicReference<>(Deliveries.NONE);

  /**
   * A sender that retries as usual.
   *
   * @param client follows no redirects
   * @param time for the signatures
   */
  WebhookSender(
      Receiver receiver, HttpClient client, WarningMeters meters, Supplier<Instant> time) {
    this(receiver, client, Retryer.of(RETRIES, RetryListener.NONE), meters, time);
  }

  WebhookSender(
      Receiver receiver,
      HttpClient client,
      Retryer retryer,
      WarningMeters meters,
      Supplier<Instant> time) {
    this.receiver = receiver;
    this.client = client;
    this.retryer = retryer;
    this.meters = meters;
    this.time = time;
  }

  /**
   * A message.
   *
   * @param id the same in each attempt, by which a receiver knows a repetition
   */
  record Message(String id, String body) {}

  private record Waiting(Message message, Portion place, Instant since) {}

  /** A place in the queue, on behalf of a subject; empty, and counted, if too many wait. */
  Optional<Portion> place(Subject subject) {
    return place(subject.id(), subject.tenant());
  }

  Optional<Portion> place(String key, String tenant) {
    Optional<Portion> place = bounds.tryTake(key, tenant, 1);
    if (place.isEmpty()) {
      meters.leftOut();
    }
    return place;
  }

  /** Sends a message when its turn comes; frees its place then. Never waits. */
  void send(Message message, Portion place) {
    synchronized (queue) {
      queue.add(new Waiting(message, place, time.get()));
    }
    next();
  }

  /**
   * Sends a message now, once, past those that wait.
   *
   * @return completes with the status of the answer; fails if there was none
   */
  CompletableFuture<Integer> test(Message message) {
    return once.call(new WebhookCall(receiver, client, message, time))
        .whenComplete((status, error) -> note(error == null ? status : 0, error));
  }

  private void note(int status, @Nullable Throwable error) {
    if (WebhookCall.isTaken(status)) {
      deliveries.updateAndGet(before -> before.withDelivered(time.get()));
    } else {
      deliveries.updateAndGet(before -> before.withFailed(time.get(), why(status, error)));
    }
  }

  /** Why a message was not taken. */
  static String why(int status, @Nullable Throwable error) {
    return error == null ? "status " + status : Failures.cause(error).getClass().getSimpleName();
  }

  /** The deliveries so far. */
  Deliveries deliveries() {
    return requireNonNull(deliveries.get());
  }

  /** Ends; what waits is lost. */
  void close() {
    synchronized (queue) {
      isClosed = true;
      queue.clear();
      if (sending != null) {
        boolean unused = sending.cancel(true);
      }
    }
  }

  private void next() {
    synchronized (queue) {
      while (sending == null && !queue.isEmpty() && !isClosed) {
        Waiting waiting = queue.remove();
        if (Duration.between(waiting.since(), time.get()).compareTo(LIVES) > 0) {
          ended(waiting, "too old");
        } else {
          begin(waiting);
        }
      }
    }
  }

  private void begin(Waiting waiting) {
    CompletableFuture<Integer> sent =
        retryer.call(new WebhookCall(receiver, client, waiting.message(), time));
    sending = sent;
    CompletableFuture<?> unused = sent.whenComplete((status, error) -> {
      if (error == null && WebhookCall.isTaken(status)) {
        meters.delivered();
        note(status, null);
        waiting.place().free();
      } else {
        ended(waiting, why(error == null ? status : 0, error));
      }
      synchronized (queue) {
        sending = null;
      }
      next();
    });
  }

  private void ended(Waiting waiting, String why) {
    waiting.place().free();
    meters.failed();
    deliveries.updateAndGet(before -> before.withFailed(time.get(), why));
    LOG.warn("the receiver {} has not taken a warning: {}", receiver, why);
  }
}
