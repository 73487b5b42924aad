package io.weir.operators.page.door;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.JsonObject;
import io.weir.node.admin.OperatorBodies;
import io.weir.node.admin.Operators;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Operator;
import io.weir.node.auth.Operator.Scope;
import io.weir.node.auth.Sessions;
import io.weir.node.extension.LoopParts;
import io.weir.node.intake.Door;
import io.weir.node.intake.Route;
import io.weir.node.intake.RoutedRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * {@code /v1/session/draft}: the draft of the policy that an operator writes on the page in a session, for its pages at all
 * nodes; the newest one of another session of the operator may be continued. A draft is text, and no policy yet: nothing
 * reads it but the page.
 */
public final class DraftDoor implements Door {
  /** A larger one stays in its browser. */
  static final int MAX_BYTES = 512 << 10;

  private static final String PATH = "/v1/session/draft";
  private static final String INVALID = "draft_invalid";
  private static final String TEXT = "text";
  private static final String AT = "at";
  private static final String OTHER = "other";
  private static final List<String> OF_PAGE = List.of("base", "compared");

  private final Context loop;
  private final Operators operators;
  private final OperatorBodies bodies;
  private final RedisDrafts drafts;

  /** A door of one event loop. */
  DraftDoor(LoopParts loop, RedisDrafts drafts) {
    this.loop = loop.vertx().getOrCreateContext();
    this.operators = loop.node().operators();
    this.bodies = new OperatorBodies(loop.vertx(), loop.node().memory());
    this.drafts = drafts;
  }

  @Override
  public List<Route> routes() {
    return List.of(
        Route.get(PATH, this::look), Route.put(PATH, this::keep), Route.delete(PATH, this::end));
  }

  private Future<Void> look(RoutedRequest request) {
    Operator operator = operators.of(request.http());
    return of(drafts.look(operator.name(), Sessions.name(request.http()))).compose(found -> {
      JsonObject answer = found.own().orElseGet(JsonObject::new);
      found.other().ifPresent(other -> answer.put(OTHER, other));
      request.response().putHeader(HttpHeaders.CACHE_CONTROL, "no-store");
      return request.answer(200, answer);
    });
  }

  private Future<Void> keep(RoutedRequest request) {
    Operator operator = operators.require(request.http(), Scope.ALL);
    return bodies
        .object(
            request,
            MAX_BYTES,
            INVALID,
            body -> of(drafts.put(operator.name(), Sessions.name(request.http()), checked(body))))
        .compose(kept -> request.response().setStatusCode(204).end());
  }

  private static JsonObject checked(JsonObject body) {
    List<String> mistakes = new ArrayList<>();
    JsonObject draft = new JsonObject();
    if (body.getValue(TEXT) instanceof String text) {
      draft.put(TEXT, text);
    } else {
      mistakes.add("text: (expected: a text)");
    }
    if (body.getValue(AT) instanceof Number at) {
      draft.put(AT, at.longValue());
    } else {
      mistakes.add("at: (expected: milliseconds since 1970)");
    }
    for (String name : OF_PAGE) {
      if (body.getValue(name) instanceof String value) {
        draft.put(name, value);
      }
    }
    if (!mistakes.isEmpty()) {
      throw OperatorBodies.invalid(INVALID, mistakes);
    }
    return draft;
  }

  private Future<Void> end(RoutedRequest request) {
    Operator operator = operators.require(request.http(), Scope.ALL);
    return of(drafts.end(operator.name(), Sessions.name(request.http())))
        .compose(ended -> request.response().setStatusCode(204).end());
  }

  private <T> Future<T> of(CompletionStage<T> stage) {
    return Future.fromCompletionStage(stage, loop)
        .recover(error -> Future.failedFuture(RefusedException.of(error)));
  }
}
