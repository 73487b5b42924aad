package io.weir.benchmarks.http;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Callers of one limit that ask several nodes in turn, and return when they are denied. Mutable; owned by the only
 * event loop of its Vert.x until it has ended.
 */
final class HttpCrowd {
  final RandomGenerator random;
  final List<Admission> admissions = new ArrayList<>();
  long attempts;

  /** Returns of callers to which a slot was promised, and how many of them were not admitted. */
  long promised;

  long broken;

  private final Vertx vertx;
  private final HttpClient client;
  private final List<Integer> ports;
  private final long began = System.nanoTime();
  private long asked;
  private volatile boolean hasEnded;

  /**
   * A caller.
   *
   * @param wantsTicket else it waits whole seconds
   * @param againMillis the time after which it asks again when it was admitted; 0 for never
   */
  record Caller(String subject, boolean wantsTicket, ReturnWay way, long againMillis) {}

  /** A request that was admitted: when, since the begin of the crowd, and how long it had to wait. */
  record Admission(Caller caller, double atSeconds, double waitedSeconds, int attempts) {}

  private record Visit(
      Caller caller, long born, int attempts, @Nullable String ticket, boolean isPromised) {}

  HttpCrowd(Vertx vertx, HttpClient client, List<Integer> ports, long seed) {
    this.vertx = vertx;
    this.client = client;
    this.ports = ports;
    this.random = new Random(seed);
  }

  /** Ends it: later answers do not count. */
  void end() {
    hasEnded = true;
  }

  /** Lets a caller come. */
  void comes(double atSeconds, Caller caller) {
    after(
        (long) (atSeconds * 1000), () -> ask(new Visit(caller, System.nanoTime(), 0, null, false)));
  }

  /** Lets callers come at random times. */
  void poisson(double perSecond, double from, double until, Caller caller) {
    double at = from;
    while (true) {
      at -= Math.log(1 - random.nextDouble()) / perSecond;
      if (at >= until) {
        return;
      }
      comes(at, caller);
    }
  }

  /** The parts of what drains in these seconds that are admitted then. */
  double used(double perSecond, double from, double until) {
    long count = admissions.stream()
        .filter(one -> one.atSeconds() > from && one.atSeconds() <= until)
        .count();
    return count / (perSecond * (until - from));
  }

  /** The second of the last admission. */
  double last() {
    return admissions.stream().mapToDouble(Admission::atSeconds).max().orElse(0);
  }

  /** The seconds that requests of subjects with this word waited at most, but for this part of them. */
  double waited(String word, double part) {
    double[] waits = admissions.stream()
        .filter(one -> one.caller().subject().contains(word))
        .mapToDouble(Admission::waitedSeconds)
        .sorted()
        .toArray();
    return waits.length == 0 ? 0 : waits[Math.min(waits.length - 1, (int) (part * waits.length))];
  }

  private void after(long millis, Runnable task) {
    if (millis < 1) {
      task.run();
    } else {
      vertx.setTimer(millis, timer -> task.run());
    }
  }

  private void ask(Visit visit) {
    if (hasEnded) {
      return;
    }
    attempts++;
    Caller caller = visit.caller();
    JsonObject check =
        new JsonObject().put("key", Traffic.key(caller.subject())).put("operation", "Hello");
    if (caller.wantsTicket()) {
      check.put("ticket", visit.ticket() == null ? true : visit.ticket());
    }
    int port = ports.get((int) (asked++ % ports.size()));
    client
        .request(HttpMethod.POST, port, "127.0.0.1", "/v1/check")
        .compose(
            request -> request.putHeader("Content-Type", "application/json").send(check.toBuffer()))
        .compose(response ->
            response.body().map(body -> answered(visit, response.getHeader("Retry-After"), body)))
        .onFailure(error -> after(100, () -> ask(visit)));
  }

  private @Nullable Void answered(Visit visit, @Nullable String seconds, Buffer body) {
    if (hasEnded) {
      return null;
    }
    JsonObject answer = body.toJsonObject();
    promised += visit.isPromised() ? 1 : 0;
    if (answer.getString("decision").equals("allowed")) {
      admitted(visit);
    } else if (seconds != null) {
      broken += visit.isPromised() ? 1 : 0;
      returnLater(visit, Long.parseLong(seconds) * 1000, answer);
    }
    return null;
  }

  private void admitted(Visit visit) {
    long now = System.nanoTime();
    Caller caller = visit.caller();
    admissions.add(new Admission(
        caller, (now - began) / 1e9, (now - visit.born()) / 1e9, visit.attempts() + 1));
    if (caller.againMillis() > 0) {
      after(caller.againMillis(), () -> ask(new Visit(caller, System.nanoTime(), 0, null, false)));
    }
  }

  private void returnLater(Visit visit, long secondsInMillis, JsonObject answer) {
    Caller caller = visit.caller();
    int attempts = visit.attempts() + 1;
    long told = caller.wantsTicket() ? answer.getLong("retryAfterMs") : secondsInMillis;
    boolean isPromised = caller.way() == ReturnWay.AS_TOLD && !answer.getBoolean("estimate");
    Visit next = new Visit(caller, visit.born(), attempts, answer.getString("ticket"), isPromised);
    long after = caller.way().afterMillis(random, attempts, told);
    if (after >= 0) {
      after(Math.max(1, after), () -> ask(next));
    }
  }
}
