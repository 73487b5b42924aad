package io.weir.keys.door;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.bucket.Names;
import io.weir.keys.record.InstantText;
import io.weir.keys.record.TokenEntry;
import io.weir.keys.store.RedisTokens;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Operator;
import io.weir.node.auth.Operator.Scope;
import io.weir.node.intake.Area;
import io.weir.node.intake.Door;
import io.weir.node.intake.QueryParameters;
import io.weir.node.intake.Route;
import io.weir.node.intake.RoutedRequest;
import io.weir.node.json.JsonInput;
import io.weir.state.audit.AuditLine;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** The tokens of operators, and the audit. */
public final class TokensDoor implements Door {
  private static final String PATH = "/v1/tokens";
  private static final String AUDIT = "/v1/audit";
  private static final int MOST_TOKENS = 200;
  private static final int USUAL_LINES = 100;
  private static final int MOST_LINES = 1000;
  private static final ProblemDetails UNKNOWN =
      ProblemDetails.of(404, "token_unknown", "There is no token with this name");
  private static final ProblemDetails EXISTS =
      ProblemDetails.of(409, "token_exists", "There is a token with this name already");
  private static final ProblemDetails FULL = ProblemDetails.of(
      409, "tokens_full", "There are %d tokens: delete some".formatted(MOST_TOKENS));

  private final RecordService desk;
  private final RedisTokens tokens;
  private final SecureRandom random = new SecureRandom();

  public TokensDoor(RecordService desk) {
    this.desk = desk;
    this.tokens = new RedisTokens(desk.records());
  }

  @Override
  public List<Route> routes() {
    return List.of(
        Route.get(PATH, this::list),
        Route.post(PATH, this::create),
        Route.delete(PATH + "/{name}", this::remove),
        Route.get(AUDIT, this::audit).withQuery("limit"));
  }

  @Override
  public Optional<Area> area() {
    return Optional.of(Area.of(PATH + "/", Map.of(), UNKNOWN)
        .checkedBy(request -> desk.operators().of(request)));
  }

  private Future<Void> list(RoutedRequest request) {
    desk.operators().require(request.http(), Scope.ALL);
    return desk.of(tokens.all()).compose(stored -> {
      JsonArray all = new JsonArray();
      stored.stream()
          .flatMap(one -> TokenEntry.of(one.id(), one.fields()).stream())
          .forEach(token -> all.add(token.toJson()));
      return request.answer(200, new JsonObject().put("tokens", all));
    });
  }

  private Future<Void> create(RoutedRequest request) {
    Operator operator = desk.operators().require(request.http(), Scope.ALL);
    return desk.body(request, RecordService.MAX_BYTES, RecordRequest.INVALID).compose(body -> {
      TokenEntry.Made made = read(body, operator);
      return desk.of(tokens.all()).compose(stored -> {
        if (stored.size() >= MOST_TOKENS) {
          throw new RefusedException(FULL);
        }
        return desk.of(tokens.add(made.entry())).compose(isNew -> {
          if (!isNew) {
            throw new RefusedException(EXISTS);
          }
          request.response().putHeader("Cache-Control", "no-store");
          return request.answer(
              201,
              new JsonObject().put("token", made.text()).mergeIn(made.entry().toJson()));
        });
      });
    });
  }

  private TokenEntry.Made read(JsonObject body, Operator operator) {
    List<String> mistakes = new ArrayList<>(0);
    RecordRequest.requireKnown(body, Set.of("name", "scope", "tenant", "expires"), mistakes);
    Optional<String> name = RecordRequest.text(body, "name", Names.ID_PATTERN, mistakes);
    Optional<String> scope = RecordRequest.text(body, "scope", "read|keys|all", mistakes);
    Optional<String> tenant = RecordRequest.text(body, "tenant", Names.ID_PATTERN, mistakes);
    OptionalLong expires =
        InstantText.read(body.getValue("expires"), "expires", desk.nowMillis("any"), mistakes);
    if (body.getValue("name") == null) {
      mistakes.add("name: nothing (expected: a name, for the audit)");
    }
    if (name.filter(Operator.OF_NODE.name()::equals).isPresent()) {
      mistakes.add("name: 'admin' (expected: another one, this is the name of the node's own)");
    }
    if (body.getValue("scope") == null) {
      mistakes.add("scope: nothing (expected: read, keys or all)");
    }
    if (tenant.isPresent() && scope.filter("all"::equals).isPresent()) {
      mistakes.add("scope: all, of a tenant (expected: read or keys)");
    }
    if (!mistakes.isEmpty()) {
      throw RecordService.invalid(RecordRequest.INVALID, mistakes);
    }
    return TokenEntry.make(
        name.orElseThrow(),
        Scope.valueOf(scope.orElseThrow().toUpperCase(Locale.ROOT)),
        tenant,
        expires,
        desk.stamp(name.orElseThrow(), operator),
        random);
  }

  private Future<Void> remove(RoutedRequest request) {
    Operator operator = desk.operators().require(request.http(), Scope.ALL);
    return removed(request.parameter("name"), operator, RecordService.TRIES)
        .compose(done -> request.response().setStatusCode(204).end());
  }

  private Future<Void> removed(String name, Operator operator, int tries) {
    return desk.of(tokens.find(name)).compose(seen -> {
      if (seen.isRemoved()) {
        throw new RefusedException(UNKNOWN);
      }
      return desk.of(tokens.remove(seen, operator.name())).compose(isDone -> {
        if (!isDone && tries == 1) {
          throw new RefusedException(RecordService.BUSY);
        }
        return isDone ? Future.succeededFuture() : removed(name, operator, tries - 1);
      });
    });
  }

  private Future<Void> audit(RoutedRequest request) {
    desk.operators().require(request.http(), Scope.READ);
    Map<String, String> asked = QueryParameters.values(request.http(), Set.of("limit"));
    return desk.of(
            desk.audit().last(QueryParameters.number(asked, "limit", USUAL_LINES, 1, MOST_LINES)))
        .compose(lines -> request.answer(
            200,
            new JsonObject()
                .put("lines", new JsonArray(lines.stream().map(TokensDoor::json).toList()))));
  }

  private static JsonObject json(AuditLine line) {
    JsonObject json = new JsonObject()
        .put("at", Instant.ofEpochMilli(line.atMillis()).toString())
        .put("who", line.who())
        .put("what", line.what())
        .put("record", line.record());
    if (!line.before().isEmpty()) {
      json.put("before", JsonInput.object(line.before()));
    }
    return line.after().isEmpty() ? json : json.put("after", JsonInput.object(line.after()));
  }
}
