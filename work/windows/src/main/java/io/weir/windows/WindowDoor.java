package io.weir.windows;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.throttle.PolicySource;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.intake.Area;
import io.weir.node.intake.Door;
import io.weir.node.intake.Route;
import io.weir.node.intake.RoutedRequest;
import io.weir.node.intake.ServiceRequests;
import io.weir.windows.WindowAnswer.Blocked;
import io.weir.windows.WindowAnswer.Claimed;
import io.weir.windows.WindowAnswer.Done;
import io.weir.windows.WindowAnswer.Full;
import io.weir.windows.WindowAnswer.NotNext;
import io.weir.windows.WindowAnswer.Nothing;
import io.weir.windows.WindowAnswer.Opened;
import io.weir.windows.WindowAnswer.Refused;
import io.weir.windows.WindowStore.End;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Windows for planners, which open ranges in order and decide about failed ones, and for workers, which claim and end
 * them. All state is in the shared state. Mutable; owned by one event loop.
 */
public final class WindowDoor implements Door {
  private static final String ONE = "/v1/windows/{window}";
  private static final int MAX_SHOWN = 100;
  // A result may take several characters of JSON for each of its bytes.
  private static final int MAX_BYTES = 32 << 10;
  private static final ProblemDetails UNKNOWN =
      ProblemDetails.of(404, "window_unknown", "The policy has no such window");
  private static final ProblemDetails RANGE_UNKNOWN =
      ProblemDetails.of(404, "range_unknown", "The window has no such range");
  private static final ProblemDetails FULL =
      ProblemDetails.of(429, "window_full", "As many ranges are open as the window is wide");
  private static final ProblemDetails BLOCKED = ProblemDetails.of(
      409, "range_failed", "The window is full, and its first range has failed: skip or retry it");
  private static final ProblemDetails NOT_NEXT =
      ProblemDetails.of(409, "range_not_next", "Ranges follow one another, and this one does not");
  private static final ProblemDetails LOST =
      ProblemDetails.of(409, "claim_lost", "The claim is over: the range is not this worker's");
  private static final ProblemDetails REFUSED =
      ProblemDetails.of(409, "range_state", "The range is in a state in which that cannot be done");

  private final Context context;
  private final PolicySource policies;
  private final WindowStore store;
  private final WindowRequests desk;
  private final ServiceRequests services;
  private final WindowMeters meters;

  /** A door for one event loop. */
  public WindowDoor(
      Vertx vertx,
      PolicySource policies,
      WindowStore store,
      ServiceRequests services,
      WindowMeters meters) {
    this.context = vertx.getOrCreateContext();
    this.policies = policies;
    this.store = store;
    this.desk = new WindowRequests(store, context, new UnansweredClaims(vertx, context, store));
    this.services = services;
    this.meters = meters;
  }

  @Override
  public List<Route> routes() {
    return Stream.concat(
            Stream.of(
                Route.get(ONE, request -> look(request, true)),
                Route.get(ONE + "/results", request -> look(request, false))),
            WindowRequests.VERBS.stream()
                .map(verb -> Route.post(ONE + "/" + verb, request -> ask(request, verb))))
        .toList();
  }

  @Override
  public Optional<Area> area() {
    return Optional.of(Area.of("/v1/windows/", Map.of(), UNKNOWN).checkedBy(services::admit));
  }

  private Future<Void> ask(RoutedRequest request, String verb) {
    services.admit(request.http());
    return services.body(request.http(), MAX_BYTES).compose(body -> {
      WindowRule rule = rule(request.parameter("window"));
      return desk.ask(rule, verb, body).compose(answer -> respond(request, rule, verb, answer));
    });
  }

  private WindowRule rule(String name) {
    return Optional.ofNullable(Windows.of(policies.current().policy()).get(name))
        .orElseThrow(() -> new RefusedException(UNKNOWN));
  }

  private Future<Void> respond(
      RoutedRequest request, WindowRule rule, String verb, WindowAnswer answer) {
    meters.count(rule.name(), verb, outcome(answer), answer.view());
    JsonObject json = new JsonObject();
    if (answer instanceof Opened opened) {
      return answer(request, opened.isNew() ? 201 : 200, json, answer);
    }
    if (answer instanceof Claimed claimed && request.response().closed()) {
      return Future.fromCompletionStage(
              store.end(rule, claimed.from(), claimed.claim(), End.RELEASE, ""), context)
          .mapEmpty();
    }
    if (answer instanceof Claimed claimed) {
      json.put("from", claimed.from())
          .put("to", claimed.to())
          .put("attempt", claimed.attempt())
          .put("claim", claimed.claim())
          .put("leaseMs", rule.leaseMicros() / 1000);
      return answer(request, 200, json, answer);
    }
    if (answer instanceof Done done) {
      return answer(request, 200, json.put("state", done.state()), answer);
    }
    if (answer instanceof Nothing nothing) {
      return nothing(request, millis(nothing.waitMicros()));
    }
    ProblemDetails problem = problem(verb, answer).with("window", json(answer.view()));
    return Future.failedFuture(new RefusedException(problem));
  }

  private static ProblemDetails problem(String verb, WindowAnswer answer) {
    if (answer instanceof Full full) {
      return FULL.with("retryAfterMs", millis(full.waitMicros()));
    }
    if (answer instanceof Blocked blocked) {
      return BLOCKED.with("from", blocked.from());
    }
    if (answer instanceof NotNext) {
      return NOT_NEXT.with("next", answer.view().next());
    }
    if (answer instanceof Refused refused) {
      return (WindowRequests.isOfWorkers(verb) ? LOST : REFUSED).with("state", refused.state());
    }
    return RANGE_UNKNOWN;
  }

  private static String outcome(WindowAnswer answer) {
    return answer instanceof Done done
        ? done.state()
        : answer.getClass().getSimpleName().toLowerCase(Locale.ROOT);
  }

  private static long millis(long micros) {
    return Math.max(1, (micros + 999) / 1000);
  }

  private static Future<Void> nothing(RoutedRequest request, long millis) {
    return request
        .response()
        .setStatusCode(204)
        .putHeader(HttpHeaders.RETRY_AFTER, Long.toString((millis + 999) / 1000))
        .putHeader("Retry-After-Ms", Long.toString(millis))
        .end();
  }

  private static Future<Void> answer(
      RoutedRequest request, int status, JsonObject json, WindowAnswer answer) {
    return request.answer(status, json.put("window", json(answer.view())));
  }

  private Future<Void> look(RoutedRequest request, boolean isOfFailed) {
    services.admit(request.http());
    return services
        .body(request.http(), MAX_BYTES)
        .compose(body -> look(request, rule(request.parameter("window")), isOfFailed));
  }

  private Future<Void> look(RoutedRequest request, WindowRule rule, boolean isOfFailed) {
    return Future.fromCompletionStage(store.look(rule, isOfFailed, MAX_SHOWN), context)
        .compose(listed -> {
          meters.count(rule.name(), "look", "listed", listed.view());
          JsonArray ranges = new JsonArray();
          listed
              .ranges()
              .forEach(range -> ranges.add(new JsonObject()
                  .put("from", range.from())
                  .put("to", range.to())
                  .put("state", range.state())
                  .put("attempts", range.attempts())
                  .put(isOfFailed ? "error" : "result", range.note())));
          JsonObject json = new JsonObject()
              .put("width", rule.width())
              .put(isOfFailed ? "failed" : "ranges", ranges);
          return answer(request, 200, json, listed);
        });
  }

  private static JsonObject json(WindowView view) {
    return new JsonObject()
        .put("next", view.next())
        .put("watermark", view.watermark())
        .put("open", view.open())
        .put("todo", view.todo())
        .put("busy", view.busy())
        .put("failed", view.failed());
  }
}
