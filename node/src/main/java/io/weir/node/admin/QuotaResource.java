package io.weir.node.admin;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.weir.core.kind.Quota;
import io.weir.core.policy.Subject;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Identities;
import io.weir.node.auth.Operator;
import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.Bulkhead.Share;
import io.weir.node.intake.Door;
import io.weir.node.intake.Route;
import io.weir.node.intake.RoutedRequest;
import io.weir.node.intake.Upload;
import io.weir.node.json.JsonInput;
import io.weir.state.hold.RedisHolds;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Quotas, for operators: resets a quota to unused before its window ends. */
public final class QuotaResource implements Door {
  private static final Logger LOG = LoggerFactory.getLogger(QuotaResource.class);
  private static final int MAX_BYTES = 4 << 10;
  private static final String OPERATOR = "(operator)";
  private static final ProblemDetails UNKNOWN = ProblemDetails.of(
      404, "quota_unknown", "The policy has no such subject, or its plan no such quota");

  private final Vertx vertx;
  private final Upload uploads;
  private final Identities identities;
  private final RedisHolds store;
  private final Operators operators;
  private final Bulkhead memory;

  /**
   * A resource for one event loop.
   *
   * @param memory bytes of bodies
   */
  public QuotaResource(
      Vertx vertx, Identities identities, RedisHolds store, Operators operators, Bulkhead memory) {
    this.vertx = vertx;
    this.uploads = new Upload(vertx);
    this.identities = identities;
    this.store = store;
    this.operators = operators;
    this.memory = memory;
  }

  @Override
  public List<Route> routes() {
    return List.of(Route.post("/v1/quotas/reset", this::reset));
  }

  private Future<Void> reset(RoutedRequest request) {
    operators.require(request.http(), Operator.Scope.ALL);
    Share bytes = memory.take(OPERATOR, OPERATOR);
    return uploads
        .whole(request.http(), MAX_BYTES, bytes)
        .onComplete(read -> bytes.free())
        .compose(body -> reset(request, body));
  }

  private Future<Void> reset(RoutedRequest request, Buffer body) {
    JsonObject asked = parsed(body);
    return identities
        .named(asked.getString("subject"))
        .map(subject -> subject.orElseThrow(() -> new RefusedException(UNKNOWN)))
        .compose(subject -> reset(request, subject, asked));
  }

  private Future<Void> reset(RoutedRequest request, Subject subject, JsonObject asked) {
    Quota quota = subject
        .plan()
        .quota(asked.getString("quota"))
        .orElseThrow(() -> new RefusedException(UNKNOWN));
    return Future.fromCompletionStage(
            store.reset(quota.scope(), subject.tenant(), subject.id(), quota.name()),
            vertx.getOrCreateContext())
        .compose(used -> {
          LOG.info("the quota {} was reset here: {} were used", quota.name(), used);
          return request.answer(200, new JsonObject().put("used", used));
        });
  }

  private static JsonObject parsed(Buffer body) {
    try {
      JsonObject json = JsonInput.object(body);
      boolean isSound = json.fieldNames().equals(Set.of("subject", "quota"))
          && json.getValue("subject") instanceof String
          && json.getValue("quota") instanceof String;
      if (isSound) {
        return json;
      }
    } catch (DecodeException e) {
      LOG.debug("a body is no JSON object");
    }
    throw new RefusedException(ProblemDetails.badRequest(
        "reset_invalid", List.of("the body: (expected: subject and quota, two texts)")));
  }
}
