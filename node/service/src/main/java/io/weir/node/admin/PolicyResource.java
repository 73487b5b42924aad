package io.weir.node.admin;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.InvalidPolicyException;
import io.weir.node.answer.RefusedException;
import io.weir.node.answer.VersionTag;
import io.weir.node.auth.Operator;
import io.weir.node.auth.Operator.Scope;
import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.Bulkhead.Portion;
import io.weir.node.intake.Door;
import io.weir.node.intake.Route;
import io.weir.node.intake.RoutedRequest;
import io.weir.node.intake.Upload;
import io.weir.state.document.PolicyDocuments;
import io.weir.state.document.PolicyEdits;
import io.weir.state.document.PolicyEdits.PathException;
import io.weir.state.policy.InForce;
import java.util.List;

/** {@code /v1/policy}: the policy of the cluster, for operators. */
public final class PolicyResource implements Door {
  private static final String PATH = "/v1/policy";
  private static final int MAX_PATCH_BYTES = 8 << 10;
  private static final String OPERATOR = "(operator)";
  private static final String INVALID = "patch_invalid";

  private final Upload uploads;
  private final OperatorBodies bodies;
  private final PolicyAdmin desk;
  private final Operators operators;
  private final Bulkhead memory;

  /**
   * A resource for one event loop.
   *
   * @param memory bytes of bodies
   */
  PolicyResource(Vertx vertx, PolicyAdmin desk, Operators operators, Bulkhead memory) {
    this.uploads = new Upload(vertx);
    this.bodies = new OperatorBodies(vertx, memory);
    this.desk = desk;
    this.operators = operators;
    this.memory = memory;
  }

  @Override
  public List<Route> routes() {
    return List.of(
        Route.get(PATH, request -> get(request.http())).withHead(),
        ChangeRequest.route(Route.put(PATH, request -> put(request.http()))),
        ChangeRequest.route(Route.patch(PATH, this::patch)));
  }

  // Answers with the text of the policy in force.
  private Future<Void> get(HttpServerRequest request) {
    Operator operator = operators.require(request, Scope.READ);
    InForce policy = desk.policies().inForce();
    desk.beside(policy.text())
        .ifPresent(state -> request.response().putHeader("Weir-Policy-File", state));
    return desk.shown(operator, policy.text())
        .compose(text -> request
            .response()
            .putHeader(HttpHeaders.CONTENT_TYPE, "text/plain; charset=utf-8")
            .putHeader(HttpHeaders.ETAG, VersionTag.of(policy.revision()))
            .putHeader("Weir-Policy-Revision", Long.toString(policy.revision()))
            .end(text));
  }

  // Puts the policy in the body in force for all nodes, or refuses it as a whole.
  private Future<Void> put(HttpServerRequest request) {
    ChangeRequest wish = ChangeRequest.of(request, operators.require(request, Scope.ALL));
    Portion bytes = memory.take(OPERATOR, OPERATOR);
    return uploads
        .whole(request, PolicyDocuments.MAX_BYTES, bytes)
        .map(PolicyResource::text)
        .compose(text -> desk.put(request, wish, text))
        .onComplete(done -> bytes.free());
  }

  private static String text(Buffer body) {
    try {
      return PolicyDocuments.text("policy", body.getBytes());
    } catch (InvalidPolicyException e) {
      throw new RefusedException(PolicyProblems.refusal(e));
    }
  }

  // Sets one value of the policy in force.
  private Future<Void> patch(RoutedRequest request) {
    ChangeRequest wish =
        ChangeRequest.of(request.http(), operators.require(request.http(), Scope.ALL));
    return bodies.object(request, MAX_PATCH_BYTES, INVALID).compose(body -> {
      requireSound(body);
      String path = body.getString("path");
      return desk.edit(
          request.http(), wish.because("set " + path), text -> edited(text, path, body));
    });
  }

  private static void requireSound(JsonObject body) {
    Object value = body.getValue("value");
    boolean isSound = body.size() == 2 && body.getValue("path") instanceof String && value != null;
    if (!isSound) {
      throw OperatorBodies.invalid(
          INVALID, List.of("the body: (expected: path, a text, and value, anything but null)"));
    }
  }

  private static String edited(String text, String path, JsonObject body) {
    // A list of one value, without its brackets, is the value as JSON.
    String json = JsonArray.of(body.getValue("value")).encode();
    try {
      return PolicyEdits.set(text, path, json.substring(1, json.length() - 1));
    } catch (PathException e) {
      throw OperatorBodies.invalid(INVALID, List.of(String.valueOf(e.getMessage())));
    }
  }
}
