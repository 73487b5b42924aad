package io.weir.node.upstream;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientRequest;
import io.weir.node.intake.Upload;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Fails an exchange in which nothing has moved for the timeout, or whose caller sends too slowly. Mutable; owned by one
 * request, on its event loop.
 */
final class ExchangeWatch {
  private final Vertx vertx;
  private final HttpClientRequest outgoing;
  private final long timeoutNanos;
  private final Consumer<Throwable> fail;
  private long lastMoved = System.nanoTime();
  private long timer = -1;
  private long uploadTimer = -1;
  private long uploaded;
  private boolean isSent;

  /** @param fail ends the exchange */
  ExchangeWatch(
      Vertx vertx, HttpClientRequest outgoing, long timeoutMillis, Consumer<Throwable> fail) {
    this.vertx = vertx;
    this.outgoing = outgoing;
    this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    this.fail = fail;
  }

  void begin() {
    watch(timeoutNanos);
  }

  /** @param seen the bytes that have arrived */
  void beginUpload(LongSupplier seen) {
    uploadTimer = vertx.setPeriodic(Upload.WINDOW_MILLIS, fired -> watchUpload(seen.getAsLong()));
  }

  /** Something has moved. */
  void moved() {
    lastMoved = System.nanoTime();
  }

  /** The whole request is sent. */
  void sent() {
    isSent = true;
  }

  void end() {
    vertx.cancelTimer(timer);
    vertx.cancelTimer(uploadTimer);
  }

  // If the upstream is ready to read and the caller does not send, the caller is too slow.
  private void watchUpload(long seen) {
    if (!isSent && !outgoing.writeQueueFull() && Upload.isTooSlow(seen - uploaded)) {
      fail.accept(Upload.tooSlow());
    }
    uploaded = seen;
  }

  private Throwable nothingMoved() {
    return isSent || outgoing.writeQueueFull()
        ? new TimeoutException("nothing moved")
        : Upload.tooSlow();
  }

  private void watch(long nanos) {
    timer = vertx.setTimer(Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)), fired -> {
      long left = timeoutNanos - (System.nanoTime() - lastMoved);
      if (left > 0) {
        watch(left);
      } else {
        fail.accept(nothingMoved());
      }
    });
  }
}
