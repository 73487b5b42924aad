package io.weir.client.upstream;

import io.weir.client.retry.Headers;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The permit to send one request now, to this provider, with this key. Held until its result is reported, once; later
 * reports do nothing. Safe for use by many threads.
 */
public final class SendPermit {
  static final int GIVEN_UP = 499;

  private final PermitNodes nodes;
  private final int node;
  private final String path;
  private final String provider;
  private final URI url;
  private final String key;
  private final long takenNanos;
  private final Duration lease;
  private final Duration timeout;
  private final AtomicBoolean isOver = new AtomicBoolean();
  private volatile Runnable renewal = () -> {};

  SendPermit(PermitNodes nodes, int node, HttpHeaders headers) {
    this.nodes = nodes;
    this.node = node;
    this.path = URI.create(header(headers, "Location")).getRawPath();
    this.provider = header(headers, "Weir-Provider");
    this.url = URI.create(header(headers, "Weir-Provider-Url"));
    this.key = header(headers, "Weir-Provider-Key");
    this.takenNanos = nodes.time().nanoTime();
    this.lease = millis(headers, "Weir-Lease-Ms");
    this.timeout = millis(headers, "Weir-Timeout-Ms");
  }

  private static Duration millis(HttpHeaders headers, String name) {
    return Duration.ofMillis(Math.max(1, Long.parseLong(header(headers, name))));
  }

  private static String header(HttpHeaders headers, String name) {
    return headers
        .firstValue(name)
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

  /** The name of the key to send; {@code -} if the provider needs none. */
  public String key() {
    return key;
  }

  /** The longest time without any data of an answer; then the provider has {@link #failed}. */
  public Duration timeout() {
    return timeout;
  }

  /** Reports that the provider has answered. */
  public void answered(HttpResponse<?> answer) {
    answered(answer.statusCode(), answer.headers()::allValues);
  }

  /**
   * The same, for other HTTP clients.
   *
   * @param headers of the answer: those about a wait or the load are reported to all nodes
   */
  public void answered(int status, Headers headers) {
    answered(status, headers, nodes.time().nanoTime());
  }

  void answered(int status, Headers headers, long headNanos) {
    end(status, headers, headNanos);
  }

  /** Reports that there was no answer: no connection, a broken one, or a timeout. */
  public void failed() {
    end(0, name -> List.of(), nodes.time().nanoTime());
  }

  /** Reports that it was given up or not sent: nothing is learned about the provider. */
  public void unused() {
    end(GIVEN_UP, name -> List.of(), nodes.time().nanoTime());
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

  Duration lease() {
    return lease;
  }

  /** The time since it was given. */
  Duration held() {
    return Duration.ofNanos(nodes.time().nanoTime() - takenNanos);
  }

  /** @param cancel stops the renewal */
  void isRenewedBy(Runnable cancel) {
    renewal = cancel;
    if (isOver.get()) {
      cancel.run();
    }
  }

  private void end(int status, Headers headers, long headNanos) {
    if (isOver.compareAndSet(false, true)) {
      renewal.run();
      long took = Duration.ofNanos(headNanos - takenNanos).toMillis();
      nodes.release(this, status, headers, took);
    }
  }
}
