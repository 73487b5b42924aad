package io.weir.keys.door;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.bucket.Names;
import io.weir.core.policy.Policy;
import io.weir.core.policy.Subject;
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

/**
 * Tenants outside of the policy, for operators: the plan, the overrides and the state of all of their keys. What the
 * policy says of a tenant wins.
 */
public final class TenantsDoor implements Door {
  static final String PATH = "/v1/tenants";
  private static final String ONE = PATH + "/{tenant}";
  private static final ProblemDetails EXISTS =
      ProblemDetails.of(409, "tenant_exists", "There is a record of this tenant already");

  /** An answer names so many of the keys that a record says nothing of. */
  private static final int MOST_UNAFFECTED = 10;

  private final RecordService desk;

  public TenantsDoor(RecordService desk) {
    this.desk = desk;
  }

  @Override
  public List<Route> routes() {
    return List.of(
        Route.post(PATH, this::create),
        Route.get(PATH, new RecordPages(desk)::tenants).withQuery(RecordPages.OF_TENANTS),
        Route.get(ONE, this::look),
        Route.patch(ONE, this::change),
        Route.delete(ONE, this::remove));
  }

  @Override
  public Optional<Area> area() {
    return Optional.of(
        Area.of(PATH + "/", Map.of(), RecordService.unknown(RecordType.TENANT).problem())
            .checkedBy(request -> desk.operators().of(request)));
  }

  private Future<Void> create(RoutedRequest request) {
    Operator operator = desk.operators().require(request.http(), Scope.KEYS);
    return desk.body(request, RecordService.MAX_BYTES, RecordRequest.INVALID).compose(body -> {
      List<String> mistakes = new ArrayList<>(0);
      Set<String> fields = new TreeSet<>(RecordRequest.fields(RecordType.TENANT));
      fields.add("id");
      RecordRequest.requireKnown(body, fields, mistakes);
      Optional<String> id = RecordRequest.text(body, "id", Names.ID_PATTERN, mistakes);
      if (body.getValue("id") == null) {
        mistakes.add("id: nothing (expected: the name of the tenant)");
      }
      Settings settings = Settings.sent(body, desk.nowMillis("any"), mistakes);
      if (!mistakes.isEmpty()) {
        throw RecordService.invalid(RecordRequest.INVALID, mistakes);
      }
      RecordRequest.requireEffect(desk.policy(), RecordType.TENANT, id.orElseThrow(), body);
      return create(request, operator, id.orElseThrow(), settings);
    });
  }

  private Future<Void> create(
      RoutedRequest request, Operator operator, String id, Settings settings) {
    Stamp now = desk.stamp(id, operator);
    StoredRecord entry = new StoredRecord(
        new StoredRecord.Name(RecordType.TENANT, id, id),
        settings,
        List.of(),
        "",
        StoredRecord.History.begun(now));
    RecordRequest.requireFits(desk.policy(), entry, Optional.empty());
    return desk.put(new Change("create", now, Optional.empty(), Optional.of(entry)))
        .compose(version -> {
          if (version.isPresent()) {
            StoredRecord made = RecordService.at(entry, version.getAsLong());
            return answer(request, 201, made);
          }
          return desk.of(desk.records().find(RecordType.TENANT, id)).compose(stored -> {
            // The same request again is answered alike; there is nothing secret in it.
            StoredRecord same = stored
                .filter(it -> it.settings().equals(settings)
                    && request.http().getHeader("Idempotency-Key") != null)
                .orElseThrow(() -> new RefusedException(EXISTS));
            return answer(request, 201, same);
          });
        });
  }

  private Future<Void> look(RoutedRequest request) {
    Operator operator = desk.operators().of(request.http());
    return desk.find(RecordType.TENANT, request.parameter("tenant"), operator)
        .compose(entry -> answer(request, 200, entry));
  }

  private Future<Void> answer(RoutedRequest request, int status, StoredRecord entry) {
    JsonObject json = entry.toJson();
    List<String> unaffected = unaffectedKeys(desk.policy(), entry.name().id());
    if (!unaffected.isEmpty()) {
      json.put("unaffectedKeys", new JsonArray(unaffected));
    }
    return RecordService.answer(request, status, entry, json);
  }

  // The policy alone rules the keys that it lists.
  private static List<String> unaffectedKeys(Policy policy, String tenant) {
    return policy.callers().subjects().values().stream()
        .filter(subject -> subject.tenant().equals(tenant))
        .map(Subject::id)
        .sorted()
        .limit(MOST_UNAFFECTED)
        .toList();
  }

  // A tenant's own operator sees its record, and changes nothing of it.
  private Future<StoredRecord> own(RoutedRequest request, Operator operator) {
    return desk.find(RecordType.TENANT, request.parameter("tenant"), operator).map(entry -> {
      if (!operator.may(Scope.KEYS)) {
        throw Operators.forbidden();
      }
      return entry;
    });
  }

  private Future<Void> change(RoutedRequest request) {
    Operator operator = desk.operators().of(request.http());
    String id = request.parameter("tenant");
    return desk.of(desk.records().find(RecordType.TENANT, id))
        .compose(stored -> stored.isEmpty() && UnrecordedTenant.isMadeBy(request, operator)
            ? recorded(request, id, operator)
            : changed(request, operator))
        .compose(entry -> answer(request, 200, entry));
  }

  private Future<StoredRecord> recorded(RoutedRequest request, String id, Operator operator) {
    if (!operator.may(Scope.KEYS)) {
      throw Operators.forbidden();
    }
    return desk.body(request, RecordService.MAX_BYTES, RecordRequest.INVALID)
        .compose(patch -> new UnrecordedTenant(desk).changed(id, operator, patch));
  }

  private Future<StoredRecord> changed(RoutedRequest request, Operator operator) {
    return own(request, operator)
        .compose(entry -> desk.body(request, RecordService.MAX_BYTES, RecordRequest.INVALID)
            .compose((JsonObject patch) -> {
              RecordService.requireWanted(request.http());
              RecordRequest.requireEffect(
                  desk.policy(), RecordType.TENANT, entry.name().id(), patch);
              Stamp now = desk.stamp(entry.name().id(), operator);
              return desk.change(request, entry, KeysDoor.verb(patch), now, seen -> {
                StoredRecord patched = RecordRequest.patched(seen, patch, now);
                RecordRequest.requireFits(desk.policy(), patched, Optional.empty());
                return patched;
              });
            }));
  }

  private Future<Void> remove(RoutedRequest request) {
    Operator operator = desk.operators().of(request.http());
    return own(request, operator)
        .compose(entry -> KeysDoor.removed(
            request.http(), desk, entry, desk.stamp(entry.name().id(), operator), seen -> {}))
        .compose(done -> request.response().setStatusCode(204).end());
  }
}
