package io.weir.whole.designs;

import io.vertx.core.json.JsonObject;
import io.weir.testkit.RealTime;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/** Callers of one design with one key, which wait as long as they are told. Safe for use by many threads. */
final class Callers {
  private static final Duration UNNAMED = Duration.ofMillis(500);
  private static final Duration PACE = Duration.ofMillis(50);
  private static final int MOST_TOKENS = 400;

  private final Design design;
  private final DesignNodes nodes;
  private final DesignNodes.Key key;
  private final AtomicLong numbers = new AtomicLong();

  final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
  final Queue<Call> calls = new ConcurrentLinkedQueue<>();

  /**
   * A request with all its attempts, or a job with all its polls.
   *
   * @param story the answers before the last one
   */
  record Call(long begun, long ended, int attempts, boolean isGood, String story) {}

  Callers(Design design, DesignNodes nodes, DesignNodes.Key key) {
    this.design = design;
    this.nodes = nodes;
    this.key = key;
  }

  long nextNumber() {
    return numbers.incrementAndGet();
  }

  JsonObject body(long number) {
    return new JsonObject()
        .put("jsonrpc", "2.0")
        .put("method", "eth_getLogs")
        .put("id", number)
        .put("max_tokens", MOST_TOKENS);
  }

  String[] headers(Optional<String> ticket) {
    List<String> headers = new ArrayList<>(List.of("X-Api-Key", key.text()));
    if (design.hasTickets()) {
      headers.addAll(List.of("Prefer", "retry-ticket"));
      ticket.ifPresent(text -> headers.addAll(List.of("Retry-Ticket", text)));
    }
    return headers.toArray(String[]::new);
  }

  /** Calls one operation until nobody wants more; a call that was begun is finished. */
  void callAll(int caller, String operation, Phases phases) {
    for (int i = caller; !phases.isOver(); i++) {
      call(i, operation);
      RealTime.pass(PACE);
    }
  }

  /** Calls until it is admitted and answered, and returns the answer. */
  JsonObject call(int turn, String operation) {
    JsonObject body = body(nextNumber());
    Optional<String> ticket = Optional.empty();
    long begun = System.nanoTime();
    StringBuilder story = new StringBuilder();
    for (int attempt = 1; ; attempt++) {
      long sent = System.nanoTime();
      Duration wait = UNNAMED;
      try {
        HttpResponse<String> answer =
            nodes.post(turn + attempt, "/" + operation, body, headers(ticket));
        answers.add(read(answer, sent, operation));
        if (answer.statusCode() == 200) {
          calls.add(new Call(begun, System.nanoTime(), attempt, true, story.toString()));
          return new JsonObject(answer.body());
        }
        ticket = answer.headers().firstValue("Retry-Ticket");
        wait = wait(answer);
        tell(story, answer, wait, sent - begun);
      } catch (IOException e) {
        answers.add(new Answer(sent, System.nanoTime(), operation, 0, 0, "", false));
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      RealTime.pass(wait);
    }
  }

  private static void tell(
      StringBuilder story, HttpResponse<String> answer, Duration wait, long sinceBegun) {
    JsonObject problem =
        answer.body().startsWith("{") ? new JsonObject(answer.body()) : new JsonObject();
    story.append("at %d ms %d %s %s, wait %d ms%s%s; "
        .formatted(
            sinceBegun / 1_000_000,
            answer.statusCode(),
            problem.getString("code", ""),
            problem.getValue("full", ""),
            wait.toMillis(),
            problem.getBoolean("estimate", false) ? " (estimate)" : "",
            answer.headers().firstValue("Weir-Degraded").map(away -> " (away)").orElse("")));
  }

  private static Answer read(HttpResponse<String> answer, long sent, String operation) {
    boolean isGood = answer.statusCode() == 200;
    JsonObject body = isGood ? new JsonObject(answer.body()) : new JsonObject();
    return new Answer(
        sent,
        System.nanoTime(),
        operation,
        answer.statusCode(),
        operation.equals("Chat") && isGood
            ? body.getJsonObject("usage").getLong("total_tokens")
            : 1,
        body.getString("by", ""),
        answer.headers().firstValue("Weir-Degraded").isPresent());
  }

  // With a ticket in milliseconds, else in whole seconds, as other clients do.
  private Duration wait(HttpResponse<String> answer) {
    Optional<Duration> exact = answer
        .headers()
        .firstValue("Retry-After-Ms")
        .filter(millis -> design.hasTickets())
        .map(millis -> Duration.ofMillis(Long.parseLong(millis)));
    return exact
        .or(() -> answer
            .headers()
            .firstValue("Retry-After")
            .map(seconds -> Duration.ofSeconds(Long.parseLong(seconds))))
        .orElse(UNNAMED);
  }
}
