package io.weir.providers.slot;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.JsonObject;
import io.weir.core.bucket.Names;
import io.weir.core.policy.OperationUpstream;
import io.weir.core.throttle.PolicySource;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.intake.Area;
import io.weir.node.intake.Door;
import io.weir.node.intake.Route;
import io.weir.node.intake.RoutedRequest;
import io.weir.node.intake.ServiceRequests;
import io.weir.node.json.BodyFields;
import io.weir.node.upstream.AttemptOutcome;
import io.weir.node.upstream.AttemptOutcome.Health;
import io.weir.node.upstream.OutgoingRequest.Caller;
import io.weir.providers.answer.ProviderAnswers;
import io.weir.providers.queue.BookedSlot;
import io.weir.providers.queue.SlotRequest;
import io.weir.providers.rule.Provider;
import io.weir.providers.rule.Providers;
import io.weir.providers.rule.Upstreams;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Key slots and permits for programs that send to providers themselves, in any language: they show the service token,
 * wait for their turn, send with the key that the answer names, and report the outcome. Mutable; owned by one event
 * loop.
 */
public final class PermitDoor implements Door {
  private static final String PATH = "/v1/permits";
  /** Upstream, provider, key slot, the id of the lease, and whether it is a probe. */
  private static final String PERMIT = "[A-Za-z0-9_-]{1,64}(?:\\.[A-Za-z0-9_-]{1,64}){3}\\.[01]";

  private static final Set<String> ASKED = Set.of("upstream", "group", "waitMs");
  private static final Set<String> RELEASED =
      Set.of("status", "retryAfterMs", "headers", "latencyMs", "group");
  private static final long LONGEST_WAIT_MILLIS = 60_000;
  private static final int MAX_STATUS = 599;
  private static final int MAX_HEADERS = 32;
  private static final int GIVEN_UP = 499;
  private static final int FORBIDDEN = 403;
  private static final long LONGEST_TAKEN_MILLIS = 3_600_000;
  private static final String CODE = "permit_invalid";
  private static final String SERVICE = "(service)";
  private static final ProblemDetails UNKNOWN =
      ProblemDetails.of(404, "upstream_unknown", "The policy has no such upstream, or group of it");
  private static final ProblemDetails PERMIT_UNKNOWN =
      ProblemDetails.of(404, "permit_unknown", "No such permit, or its lease is over");

  private final PolicySource policies;
  private final ProviderGate gate;
  private final ProviderLessons lessons;
  private final ServiceRequests services;

  /** A door for one event loop. */
  public PermitDoor(
      PolicySource policies, ProviderGate gate, ProviderLessons lessons, ServiceRequests services) {
    this.policies = policies;
    this.gate = gate;
    this.lessons = lessons;
    this.services = services;
  }

  @Override
  public List<Route> routes() {
    return List.of(
        Route.post(PATH, this::take),
        Route.post(PATH + "/{permit}/release", this::release),
        Route.post(PATH + "/{permit}/renew", this::renew));
  }

  @Override
  public Optional<Area> area() {
    return Optional.of(Area.of(PATH + "/", Map.of("permit", PERMIT), PERMIT_UNKNOWN)
        .checkedBy(services::admitPost));
  }

  private Providers upstream(String name) {
    return Optional.ofNullable(Upstreams.of(policies.current().policy()).get(name))
        .orElseThrow(() -> new RefusedException(UNKNOWN));
  }

  // Each group has its own queue: only groups of the policy are accepted.
  private void refuseUnknown(Providers upstream, String group) {
    boolean isNamed = group.equals("default")
        || upstream.all().stream().anyMatch(provider -> provider.groups().contains(group))
        || policies.current().policy().routing().rules().stream()
            .anyMatch(rule -> OperationUpstream.of(rule).group().all().contains(group));
    if (!isNamed || upstream.serving(group).isEmpty()) {
      throw new RefusedException(UNKNOWN);
    }
  }

  private Future<Void> take(RoutedRequest request) {
    services.admit(request.http());
    return services.body(request.http()).compose(body -> take(request, body));
  }

  private Future<Void> take(RoutedRequest request, Buffer body) {
    BodyFields asked = new BodyFields(body, ASKED, CODE);
    asked.require("upstream");
    Optional<String> name = asked.text("upstream", Names::isName, "a name");
    Optional<String> named = asked.text("group", Names::isName, "a name");
    OptionalLong waitMillis = asked.whole("waitMs", 0, LONGEST_WAIT_MILLIS);
    asked.refuseMistakes();
    String group = named.orElse("default");
    long longest = upstream(name.orElse("")).bounds().queueMillis();
    long wait = Math.max(1, Math.min(longest, waitMillis.orElse(longest)));
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(wait);
    Supplier<SlotRequest> wish = () -> {
      Providers upstream = upstream(name.orElse(""));
      refuseUnknown(upstream, group);
      return new SlotRequest(
          upstream,
          new Caller(SERVICE, SERVICE),
          group,
          List.of(),
          true,
          new SlotRequest.Patience(deadline, request.response()::closed));
    };
    return gate.enter(wish, false).compose(entered -> {
      Optional<Provider> provider = entered.upstream().named(entered.provider());
      if (request.response().closed() || provider.isEmpty()) {
        lessons.unused(entered);
        return Future.succeededFuture();
      }
      return send(request, entered, provider.get());
    });
  }

  private static Future<Void> send(RoutedRequest request, BookedSlot entered, Provider provider) {
    long leaseMillis = entered.upstream().bounds().leaseMicros() / 1000;
    long timeoutMillis = entered.upstream().sending().timeoutMillis();
    String permit = String.join(
        ".",
        entered.upstream().name(),
        entered.provider(),
        entered.key(),
        entered.id(),
        entered.isProbe() ? "1" : "0");
    request
        .response()
        .putHeader(HttpHeaders.LOCATION, PATH + "/" + permit)
        .putHeader("Weir-Provider", entered.provider())
        .putHeader("Weir-Provider-Url", provider.uri().toString())
        .putHeader("Weir-Provider-Key", entered.key())
        .putHeader("Weir-Lease-Ms", Long.toString(leaseMillis))
        .putHeader("Weir-Timeout-Ms", Long.toString(timeoutMillis));
    return request.answer(
        201,
        new JsonObject()
            .put("permit", permit)
            .put("provider", entered.provider())
            .put("url", provider.uri().toString())
            .put("key", entered.key())
            .put("leaseMs", leaseMillis)
            .put("timeoutMs", timeoutMillis));
  }

  private BookedSlot entered(RoutedRequest request) {
    String[] named = request.parameter("permit").split("\\.", -1);
    BookedSlot entered =
        new BookedSlot(upstream(named[0]), named[3], named[1], named[2], named[4].equals("1"));
    boolean isKnown = entered.upstream().named(entered.provider()).stream()
        .anyMatch(provider -> provider.slots().contains(entered.key()));
    if (!isKnown) {
      throw new RefusedException(PERMIT_UNKNOWN);
    }
    return entered;
  }

  private static boolean hasKey(BookedSlot entered) {
    return entered.upstream().named(entered.provider()).stream()
        .anyMatch(provider -> !provider.keys().isEmpty());
  }

  private Future<Void> renew(RoutedRequest request) {
    services.admit(request.http());
    return services.body(request.http()).compose(body -> renew(request, entered(request)));
  }

  private Future<Void> renew(RoutedRequest request, BookedSlot entered) {
    return gate.renew(entered).compose(isHeld -> {
      if (!isHeld) {
        throw new RefusedException(PERMIT_UNKNOWN);
      }
      long leaseMillis = entered.upstream().bounds().leaseMicros() / 1000;
      return request.answer(200, new JsonObject().put("leaseMs", leaseMillis));
    });
  }

  private Future<Void> release(RoutedRequest request) {
    services.admit(request.http());
    return services.body(request.http()).compose(body -> release(request, entered(request), body));
  }

  private Future<Void> release(RoutedRequest request, BookedSlot entered, Buffer body) {
    BodyFields fields = new BodyFields(body, RELEASED, CODE);
    long status = fields.whole("status", 0, MAX_STATUS).orElse(200);
    long wait = Math.min(
        fields.whole("retryAfterMs", 0, Long.MAX_VALUE).orElse(0),
        ProviderAnswers.LONGEST_WAIT_MILLIS);
    long took = fields.whole("latencyMs", 0, LONGEST_TAKEN_MILLIS).orElse(0);
    String group = fields.text("group", Names::isName, "a name").orElse("default");
    MultiMap headers =
        MultiMap.caseInsensitiveMultiMap().addAll(fields.texts("headers", MAX_HEADERS));
    fields.refuseMistakes();
    refuseUnknown(entered.upstream(), group);
    if (wait > 0) {
      headers.remove(HttpHeaders.RETRY_AFTER).set("Retry-After-Ms", Long.toString(wait));
    }
    AttemptOutcome outcome = switch ((int) status) {
      case 0 -> AttemptOutcome.broken();
      case GIVEN_UP -> AttemptOutcome.unknown();
      default ->
        ProviderAnswers.outcome(
            (int) status, headers, Clock.systemUTC().instant(), hasKey(entered));
    };
    return lessons
        .learnOnce(entered, outcome, group, TimeUnit.MILLISECONDS.toNanos(took))
        .onSuccess(wasHeld -> {
          // No other key answered the request; a 403 may be about the request.
          if (wasHeld && outcome.health() == Health.REFUSED && status != FORBIDDEN) {
            lessons.rest(entered, group);
          }
        })
        .compose(wasHeld -> request.answer(200, new JsonObject().put("held", wasHeld)));
  }
}
