package io.weir.keys.door;

import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.weir.core.bucket.Names;
import io.weir.core.policy.Subject;
import io.weir.keys.record.KeyText;
import io.weir.keys.record.RecordType;
import io.weir.keys.record.Settings;
import io.weir.keys.record.Stamp;
import io.weir.keys.record.StoredRecord;
import io.weir.keys.store.Change;
import io.weir.node.admin.Operators;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Operator;
import io.weir.node.auth.Operator.Scope;
import io.weir.node.intake.Area;
import io.weir.node.intake.Door;
import io.weir.node.intake.Route;
import io.weir.node.intake.RoutedRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/** Keys outside of the policy, for operators: made, listed, changed, given another secret, and ended. */
public final class KeysDoor implements Door {
  static final String PATH = "/v1/keys";
  private static final String ONE = PATH + "/{id}";
  static final ProblemDetails EXISTS =
      ProblemDetails.of(409, "key_exists", "There is a key with this id already");
  static final ProblemDetails IN_POLICY = ProblemDetails.of(
      409,
      "key_in_policy",
      "The policy lists this key, which takes precedence: it is changed there, as by 'weir policy set"
          + " /subjects/ID/frozen true'");

  // Whether an id is taken by others, or by the policy, is not for a tenant's operator to learn.
  private static final ProblemDetails ID_CHOSEN = ProblemDetails.of(
      403, "key_id_chosen", "An operator of a tenant does not choose the id of a key");

  private final RecordService desk;
  private final Secrets secrets;

  public KeysDoor(RecordService desk) {
    this.desk = desk;
    this.secrets = new Secrets(desk.operators());
  }

  @Override
  public List<Route> routes() {
    return List.of(
        Route.post(PATH, this::create),
        Route.get(PATH, new RecordPages(desk)::keys).withQuery(RecordPages.FILTERS),
        Route.get(ONE, this::look),
        Route.patch(ONE, this::change),
        Route.delete(ONE, this::remove),
        Route.post(ONE + "/rotate", this::rotate));
  }

  @Override
  public Optional<Area> area() {
    return Optional.of(Area.of(
            PATH + "/",
            Map.of(KeyId.PARAMETER, KeyId.PATTERN),
            RecordService.unknown(RecordType.KEY).problem())
        .checkedBy(request -> desk.operators().of(request)));
  }

  private Future<Void> create(RoutedRequest request) {
    Operator operator = desk.operators().of(request.http());
    return desk.body(request, RecordService.MAX_BYTES, RecordRequest.INVALID)
        .compose(body -> create(request, operator, body));
  }

  private Future<Void> create(RoutedRequest request, Operator operator, JsonObject body) {
    List<String> mistakes = new ArrayList<>(0);
    Set<String> fields = new TreeSet<>(Settings.FIELDS);
    fields.addAll(List.of("id", "tenant"));
    RecordRequest.requireKnown(body, fields, mistakes);
    Optional<String> given = RecordRequest.text(body, "id", Names.ID_PATTERN, mistakes);
    Optional<String> tenant =
        RecordRequest.text(body, "tenant", Names.ID_PATTERN, mistakes).or(operator::tenant);
    if (tenant.isEmpty() && body.getValue("tenant") == null) {
      mistakes.add("tenant: nothing (expected: the tenant that the key belongs to)");
    }
    Settings settings = Settings.sent(body, desk.nowMillis("any"), mistakes);
    Secrets.Retry retry = secrets.retry(request.http(), operator, body, mistakes);
    if (!mistakes.isEmpty()) {
      throw RecordService.invalid(RecordRequest.INVALID, mistakes);
    }
    String owner = tenant.orElseThrow();
    requireMay(operator, owner, body);
    if (operator.tenant().isPresent() && given.isPresent()) {
      throw new RefusedException(ID_CHOSEN);
    }
    String id = given.or(retry::id).orElseGet(secrets::newId);
    if (desk.policy().listed(id).isPresent()) {
      throw new RefusedException(IN_POLICY);
    }
    Stamp now = desk.stamp(id, operator);
    KeyText key = retry.isAsked() ? retry.key(id, retry.salt()) : secrets.make(id);
    StoredRecord entry = new StoredRecord(
        new StoredRecord.Name(RecordType.KEY, id, owner),
        settings,
        List.of(secrets.of(key)),
        retry.proof(),
        StoredRecord.History.begun(now));
    return tenantOf(entry)
        .compose(of -> {
          RecordRequest.requireFits(desk.policy(), entry, of);
          Change change = new Change("create", now, Optional.empty(), Optional.of(entry));
          return new KeyBound(desk).put(operator, of, entry, change);
        })
        .transform(put -> {
          if (put.succeeded() && put.result().isPresent()) {
            return made(request, 201, RecordService.at(entry, put.result().getAsLong()), key);
          }
          return put.succeeded() || isFull(put.cause())
              ? repeated(request, operator, id, retry, put.succeeded() ? EXISTS : KeyBound.FULL)
              : Future.failedFuture(put.cause());
        });
  }

  private static boolean isFull(Throwable error) {
    return error instanceof RefusedException refused && refused.problem().equals(KeyBound.FULL);
  }

  private static void requireMay(Operator operator, String tenant, JsonObject body) {
    if (!operator.mayFor(tenant, Scope.KEYS)) {
      throw Operators.forbidden();
    }
    RecordRequest.requireMaySet(operator, body);
  }

  // The same request again gets the same key, as long as nobody has changed it.
  private Future<Void> repeated(
      RoutedRequest request,
      Operator operator,
      String id,
      Secrets.Retry retry,
      ProblemDetails otherwise) {
    return desk.of(desk.records().find(RecordType.KEY, id)).compose(entry -> {
      Optional<KeyText> key = entry
          .filter(it -> operator.mayFor(it.name().tenant(), Scope.KEYS))
          .flatMap(it -> retry.keyOf(it, desk.nowMillis(id)));
      if (key.isEmpty()) {
        throw new RefusedException(otherwise);
      }
      return made(request, 201, entry.orElseThrow(), key.get());
    });
  }

  private static Future<Void> made(
      RoutedRequest request, int status, StoredRecord entry, KeyText key) {
    JsonObject json = new JsonObject().put("key", key.text()).mergeIn(entry.toJson());
    return RecordService.answer(request, status, entry, json);
  }

  private Future<Optional<StoredRecord>> tenantOf(StoredRecord key) {
    return desk.of(desk.records().find(RecordType.TENANT, key.name().tenant()));
  }

  private Future<Void> look(RoutedRequest request) {
    Operator operator = desk.operators().of(request.http());
    String id = KeyId.of(request);
    return desk.find(RecordType.KEY, id, operator)
        .compose(entry -> tenantOf(entry).compose(tenant -> {
          JsonObject json = entry.toJson();
          new EffectiveLimits(desk.policy(), entry, tenant, desk.nowMillis(id)).addTo(json);
          return RecordService.answer(request, 200, entry, json);
        }));
  }

  private Future<Void> change(RoutedRequest request) {
    Operator operator = desk.operators().of(request.http());
    String id = KeyId.of(request);
    return desk.of(desk.records().find(RecordType.KEY, id))
        .compose(stored -> stored.isPresent() || desk.listsFor(id, operator)
            ? Future.succeededFuture(Optional.<Subject>empty())
            : new UnrecordedSubject(desk).find(request, id, operator))
        .compose(unrecorded -> unrecorded.isPresent()
            ? recorded(request, unrecorded.get(), operator)
            : changed(request, id, operator))
        .compose(entry -> RecordService.answer(request, 200, entry, entry.toJson()));
  }

  private Future<StoredRecord> recorded(RoutedRequest request, Subject subject, Operator operator) {
    return desk.body(request, RecordService.MAX_BYTES, RecordRequest.INVALID).compose(patch -> {
      requireMay(operator, subject.tenant(), patch);
      return new UnrecordedSubject(desk).changed(subject, operator, patch);
    });
  }

  private Future<StoredRecord> changed(RoutedRequest request, String id, Operator operator) {
    return desk.keyToChange(id, operator)
        .compose(entry -> desk.body(request, RecordService.MAX_BYTES, RecordRequest.INVALID)
            .compose(patch -> {
              requireMay(operator, entry.name().tenant(), patch);
              RecordService.requireWanted(request.http());
              RecordRequest.requireEffect(desk.policy(), RecordType.KEY, id, patch);
              RecordRequest.requireMayEnd(operator, entry, patch);
              Stamp now = desk.stamp(id, operator);
              return tenantOf(entry)
                  .compose(tenant -> desk.change(request, entry, verb(patch), now, seen -> {
                    RecordRequest.requireMayEnd(operator, seen, patch);
                    StoredRecord patched = RecordRequest.patched(seen, patch, now);
                    if (RecordRequest.setsLimits(patch)) {
                      RecordRequest.requireFits(desk.policy(), patched, tenant);
                    }
                    return patched;
                  }));
            }));
  }

  static String verb(JsonObject patch) {
    Object state = patch.getValue("state");
    if (patch.size() != 1 || !(state instanceof String word)) {
      return "change";
    }
    return switch (word) {
      case "frozen" -> "freeze";
      case "disabled" -> "disable";
      default -> "activate";
    };
  }

  private Future<Void> remove(RoutedRequest request) {
    Operator operator = desk.operators().of(request.http());
    String id = KeyId.of(request);
    return desk.keyToChange(id, operator)
        .compose(entry -> {
          if (!operator.mayFor(entry.name().tenant(), Scope.KEYS)) {
            throw Operators.forbidden();
          }
          return removed(
              request.http(),
              desk,
              entry,
              desk.stamp(id, operator),
              seen -> RecordRequest.requireMayEnd(operator, seen, RecordRequest.DELETED));
        })
        .compose(done -> request.response().setStatusCode(204).end());
  }

  /** @param check refuses to remove a record as it is now */
  static Future<Void> removed(
      HttpServerRequest request,
      RecordService desk,
      StoredRecord entry,
      Stamp now,
      Consumer<StoredRecord> check) {
    return removed(request, desk, entry, now, check, RecordService.TRIES);
  }

  private static Future<Void> removed(
      HttpServerRequest request,
      RecordService desk,
      StoredRecord entry,
      Stamp now,
      Consumer<StoredRecord> check,
      int tries) {
    if (tries == 0) {
      throw new RefusedException(RecordService.BUSY);
    }
    RecordService.requireMatch(request, entry);
    check.accept(entry);
    return desk.put(new Change("delete", now, Optional.of(entry), Optional.empty()))
        .compose(version -> {
          if (version.isPresent()) {
            return new WholeTexts(desk).release(entry, Optional.empty());
          }
          return desk.of(desk.records().find(entry.name().kind(), entry.name().id()))
              .map(it -> RecordService.sameOwner(entry, it))
              .compose(it -> removed(request, desk, it, now, check, tries - 1));
        });
  }

  private Future<Void> rotate(RoutedRequest request) {
    return new Rotation(desk, secrets).serve(request);
  }
}
