package io.weir.operators.page.door;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.JsonObject;
import io.weir.node.admin.Operators;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.KeyHeaders;
import io.weir.node.auth.Operator;
import io.weir.node.auth.Sessions;
import io.weir.node.extension.LoopParts;
import io.weir.node.intake.Door;
import io.weir.node.intake.Route;
import io.weir.node.intake.RoutedRequest;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * {@code /v1/session}: begins the session of a browser with an admin token, tells what it may do, and ends it, with its
 * draft. The token is sent in a header, which a page of another site cannot set without being asked first.
 */
public final class SessionDoor implements Door {
  private static final String PATH = "/v1/session";
  private static final ProblemDetails NO_TOKEN = ProblemDetails.of(
      401, "admin_token_invalid", "A session begins with Authorization: Bearer and an admin token");

  private final Context loop;
  private final Operators operators;
  private final RedisDrafts drafts;

  /** A door of one event loop. */
  SessionDoor(LoopParts loop, RedisDrafts drafts) {
    this.loop = loop.vertx().getOrCreateContext();
    this.operators = loop.node().operators();
    this.drafts = drafts;
  }

  @Override
  public List<Route> routes() {
    return List.of(
        Route.post(PATH, this::begin), Route.get(PATH, this::look), Route.delete(PATH, this::end));
  }

  private Future<Void> begin(RoutedRequest request) {
    String token = KeyHeaders.bearer(request.http().headers())
        .orElseThrow(() -> new RefusedException(NO_TOKEN));
    Operator operator = operators.of(token);
    return operators
        .sessions()
        .begin(request.http(), operator.name(), token)
        .compose(csrf -> respond(request, operator, csrf));
  }

  private Future<Void> look(RoutedRequest request) {
    Operator operator = operators.of(request.http());
    return operators
        .sessions()
        .csrf(request.http())
        .compose(csrf -> respond(request, operator, csrf));
  }

  private static Future<Void> respond(RoutedRequest request, Operator operator, String csrf) {
    JsonObject json = new JsonObject()
        .put("operator", operator.name())
        .put("scope", operator.may().name().toLowerCase(Locale.ROOT))
        .put("csrf", csrf);
    operator.tenant().ifPresent(tenant -> json.put("tenant", tenant));
    request.response().putHeader(HttpHeaders.CACHE_CONTROL, "no-store");
    return request.answer(200, json);
  }

  private Future<Void> end(RoutedRequest request) {
    Optional<String> operator = named(request);
    Optional<String> session = Sessions.name(request.http());
    return operators
        .sessions()
        .end(request.http())
        .compose(ended -> forgotten(operator, session))
        .compose(ended -> request.response().setStatusCode(204).end());
  }

  // A session can be ended whether its token still counts or not.
  private Optional<String> named(RoutedRequest request) {
    try {
      return Optional.of(operators.of(request.http()).name());
    } catch (RefusedException unknown) {
      return Optional.empty();
    }
  }

  // A draft that cannot be forgotten now ends by itself, hours later.
  private Future<Void> forgotten(Optional<String> operator, Optional<String> session) {
    return operator
        .filter(name -> session.isPresent())
        .map(name -> Future.fromCompletionStage(drafts.end(name, session), loop).otherwiseEmpty())
        .orElseGet(Future::succeededFuture);
  }
}
