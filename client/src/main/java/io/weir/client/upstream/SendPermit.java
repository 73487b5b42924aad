package io.weir.client.upstream;

import io.weir.client.retry.RetryAfterHeaders;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * It is this program's turn: to be sent now, to this provider, with this key. Held until it is told how it went, once; later
 * words do nothing. Safe for use by many threads.
 */
public final class SendPermit {
  static final int GIVEN_UP = 499;

  private final UpstreamScheduler scheduler;
  private final int node;
  private final String path;
  private final String provider;
  private final URI url;
  private final String key;
  private final long takenNanos;
  private final AtomicBoolean isOver = new AtomicBoolean();
  private volatile Runnable renewal = () -> {};

  SendPermit(UpstreamScheduler scheduler, int node, HttpHeaders told, long takenNanos) {
    this.scheduler = scheduler;
    this.node = node;
    this.path = URI.create(header(told, "Location")).getRawPath();
    this.provider = header(told, "Weir-Provider");
    this.url = URI.create(header(told, "Weir-Provider-Url"));
    this.key = header(told, "Weir-Provider-Key");
    this.takenNanos = takenNanos;
  }

  private static String header(HttpHeaders told, String name) {
    return told.firstValue(name)
        .orElseThrow(() -> new IllegalStateException("the node's answer has no " + name));
  }

  /** The provider's name. */
  public String provider() {
    return provider;
  }

  /** Its base address. */
  public URI url() {
    return url;
  }

  /** The name of the key that is sent; {@code -} where the provider wants none. */
  public String key() {
    return key;
  }

  /** The provider has answered. */
  public void answered(HttpResponse<?> answer) {
    OptionalLong wait = RetryAfterHeaders.millis(
        answer.statusCode(), answer.headers()::allValues, scheduler.time().now());
    end(answer.statusCode(), wait.orElse(0));
  }

  /** There was no answer: no connection, it broke, or nothing came in time. */
  public void failed() {
    end(0, 0);
  }

  /** It was given up, or not sent: nothing is learned of the provider. */
  public void unused() {
    end(GIVEN_UP, 0);
  }

  boolean isOver() {
    return isOver.get();
  }

  /** The number of the node that gave it. */
  int node() {
    return node;
  }

  String path() {
    return path;
  }

  /** @param cancel ends it */
  void isRenewedBy(Runnable cancel) {
    renewal = cancel;
    if (isOver.get()) {
      cancel.run();
    }
  }

  private void end(int status, long waitMillis) {
    if (isOver.compareAndSet(false, true)) {
      renewal.run();
      long took = Duration.ofNanos(scheduler.time().nanoTime() - takenNanos).toMillis();
      scheduler.release(this, status, waitMillis, took);
    }
  }
}
