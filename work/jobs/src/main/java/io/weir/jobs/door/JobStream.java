package io.weir.jobs.door;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.rule.SeenJob;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The state of a job as a stream of events (HTML, section 9.2): an event {@code state} at each change, and an event
 * {@code end}. Mutable; owned by one request, on its event loop.
 */
final class JobStream {
  private static final long ALIVE_MILLIS = 15_000;
  private static final long LONGEST_MILLIS = TimeUnit.MINUTES.toMillis(10);

  private final Vertx vertx;
  private final HttpServerResponse response;
  private final JobRule rule;
  private final Promise<Void> ended = Promise.promise();

  JobStream(Vertx vertx, HttpServerResponse response, JobRule rule) {
    this.vertx = vertx;
    this.response = response;
    this.rule = rule;
  }

  /** Sends the current state and each change until the job ends; for ten minutes at most. */
  Future<Void> run(SeenJob first, JobWatch watch) {
    if (response.closed()) {
      return Future.succeededFuture();
    }
    response
        .setStatusCode(200)
        .setChunked(true)
        .putHeader(HttpHeaders.CONTENT_TYPE, "text/event-stream")
        .putHeader(HttpHeaders.CACHE_CONTROL, "no-store");
    response.closeHandler(gone -> ended.tryComplete());
    response.exceptionHandler(broken -> ended.tryComplete());
    JobWatch.Watcher watcher = watch.watch(first.job(), this::send);
    long alive = vertx.setPeriodic(ALIVE_MILLIS, fired -> write(":\n\n"));
    long longest = vertx.setTimer(LONGEST_MILLIS, fired -> ended.tryComplete());
    send(Optional.of(first));
    return ended.future().eventually(() -> {
      watch.leave(watcher);
      vertx.cancelTimer(alive);
      vertx.cancelTimer(longest);
      return response.closed() || response.ended() ? Future.succeededFuture() : response.end();
    });
  }

  private void send(Optional<SeenJob> seen) {
    if (seen.isEmpty()) {
      ended.tryComplete();
      return;
    }
    JsonObject json = new JsonObject()
        .put("status", seen.get().job().progress().state().word())
        .put("state", seen.get().job().progress().state().word());
    boolean isEnd = seen.get().job().progress().state().isEnd();
    if (isEnd) {
      json.put("job_id", seen.get().job().name().id())
          .put("location", JobAnswers.path(seen.get().job()));
    } else {
      json.mergeIn(JobAnswers.body(seen.get().job(), rule));
    }
    String event = "event: %s\ndata: %s\n\n".formatted(isEnd ? "end" : "state", json.encode());
    if (!isEnd) {
      write(event);
    } else if (!response.closed() && !response.ended()) {
      Future<Void> unused = response.write(event);
      ended.tryComplete();
    }
  }

  // A slow reader skips states that are outdated.
  private void write(String text) {
    if (!response.closed() && !response.ended() && !response.writeQueueFull()) {
      Future<Void> unused = response.write(text);
    }
  }
}
