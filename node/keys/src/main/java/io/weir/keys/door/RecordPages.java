package io.weir.keys.door;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.keys.record.KeyState;
import io.weir.keys.record.RecordType;
import io.weir.keys.record.Settings;
import io.weir.keys.record.StoredRecord;
import io.weir.keys.store.Listing;
import io.weir.node.admin.Operators;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Operator;
import io.weir.node.auth.Operator.Scope;
import io.weir.node.intake.QueryParameters;
import io.weir.node.intake.RoutedRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Lists of records, a page at a time. */
record RecordPages(RecordService desk) {
  static final String[] FILTERS = {
    "tenant", "plan", "label", "state", "find", "limit", "cursor", "hashes"
  };
  static final String[] OF_TENANTS = {"find", "limit", "cursor"};
  private static final int USUAL_LISTED = 100;
  private static final int MOST_LISTED = 500;

  Future<Void> keys(RoutedRequest request) {
    Operator operator = desk.operators().of(request.http());
    Map<String, String> asked = QueryParameters.values(request.http(), Set.of(FILTERS));
    Optional<String> tenant = Optional.ofNullable(asked.get("tenant")).or(operator::tenant);
    boolean isAllowed =
        tenant.isPresent() ? operator.mayFor(tenant.get(), Scope.READ) : operator.may(Scope.READ);
    if (!isAllowed) {
      throw Operators.forbidden();
    }
    List<String> mistakes = new ArrayList<>(0);
    Predicate<StoredRecord> matches = filter(asked, mistakes);
    int limit = QueryParameters.number(asked, "limit", USUAL_LISTED, 1, MOST_LISTED, mistakes);
    boolean withHashes = asked.getOrDefault("hashes", "false").equals("true");
    if (withHashes && !operator.may(Scope.ALL)) {
      throw Operators.forbidden();
    }
    if (!mistakes.isEmpty()) {
      throw new RefusedException(ProblemDetails.badRequest("query_invalid", mistakes));
    }
    Query query = new Query(
        RecordType.KEY,
        tenant,
        asked.getOrDefault("cursor", ""),
        limit,
        withHashes ? this::exported : this::withPlans);
    return listed(request, desk, query, matches);
  }

  Future<Void> tenants(RoutedRequest request) {
    desk.operators().require(request.http(), Scope.READ);
    Map<String, String> asked = QueryParameters.values(request.http(), Set.of(OF_TENANTS));
    List<String> mistakes = new ArrayList<>(0);
    Predicate<StoredRecord> matches = filter(asked, mistakes);
    int limit = QueryParameters.number(asked, "limit", USUAL_LISTED, 1, MOST_LISTED, mistakes);
    if (!mistakes.isEmpty()) {
      throw new RefusedException(ProblemDetails.badRequest("query_invalid", mistakes));
    }
    Query query = new Query(
        RecordType.TENANT,
        Optional.empty(),
        asked.getOrDefault("cursor", ""),
        limit,
        page -> Future.succeededFuture(page.stream().map(StoredRecord::toJson).toList()));
    return listed(request, desk, query, matches);
  }

  private Future<List<JsonObject>> exported(List<StoredRecord> page) {
    return Future.succeededFuture(page.stream().map(StoredRecord::toExport).toList());
  }

  // A key without a plan of its own has that of its tenant: each tenant of the page is read once.
  private Future<List<JsonObject>> withPlans(List<StoredRecord> page) {
    List<String> names = page.stream()
        .filter(key -> key.settings().plan().isEmpty())
        .map(key -> key.name().tenant())
        .distinct()
        .toList();
    return Future.all(names.stream()
            .map(name -> desk.of(desk.records().find(RecordType.TENANT, name)))
            .toList())
        .map(found -> {
          Map<String, StoredRecord> tenants = new HashMap<>();
          found
              .<Optional<StoredRecord>>list()
              .forEach(tenant -> tenant.ifPresent(one -> tenants.put(one.name().id(), one)));
          return page.stream().map(key -> withPlan(key, tenants)).toList();
        });
  }

  private JsonObject withPlan(StoredRecord key, Map<String, StoredRecord> tenants) {
    Optional<StoredRecord> tenant = Optional.ofNullable(tenants.get(key.name().tenant()));
    return PlanInForce.addTo(
        key.toJson(), desk.policy(), key, tenant, desk.nowMillis(key.name().id()));
  }

  /** A page that is asked for. */
  private record Query(
      RecordType kind,
      Optional<String> tenant,
      String cursor,
      int limit,
      Function<List<StoredRecord>, Future<List<JsonObject>>> form) {}

  private static Future<Void> listed(
      RoutedRequest request, RecordService desk, Query asked, Predicate<StoredRecord> matches) {
    try {
      return desk.of(new Listing(desk.records())
              .page(asked.kind(), asked.tenant(), asked.cursor(), asked.limit(), matches))
          .compose(page -> asked.form().apply(page.entries()).compose(entries -> {
            JsonObject json =
                new JsonObject().put(asked.kind().word() + "s", new JsonArray(entries));
            return request.answer(
                200, page.next().isEmpty() ? json : json.put("cursor", page.next()));
          }));
    } catch (IllegalArgumentException e) {
      throw new RefusedException(
          ProblemDetails.badRequest("query_invalid", List.of(String.valueOf(e.getMessage()))));
    }
  }

  private static Predicate<StoredRecord> filter(Map<String, String> asked, List<String> mistakes) {
    Predicate<StoredRecord> all = entry -> true;
    if (asked.containsKey("plan")) {
      Optional<String> plan = Optional.of(asked.get("plan"));
      all = all.and(entry -> entry.settings().plan().equals(plan));
    }
    if (asked.containsKey("label")) {
      String[] label = asked.get("label").split(":", 2);
      all = all.and(entry -> label.length == 1
          ? entry.settings().labels().containsKey(label[0])
          : label[1].equals(entry.settings().labels().get(label[0])));
    }
    if (asked.containsKey("state")) {
      Optional<KeyState> state = KeyState.of(asked.get("state"));
      if (state.isEmpty()) {
        mistakes.add("state: (expected: active, frozen or disabled)");
      }
      all = all.and(entry -> Optional.of(entry.settings().validity().state()).equals(state));
    }
    if (asked.containsKey("find")) {
      String text = asked.get("find").toLowerCase(Locale.ROOT);
      all = all.and(
          entry -> texts(entry).anyMatch(it -> it.toLowerCase(Locale.ROOT).contains(text)));
    }
    return all;
  }

  /** The texts of a record that people search for. */
  private static Stream<String> texts(StoredRecord entry) {
    Settings settings = entry.settings();
    return Stream.of(
            Stream.of(entry.name().id(), entry.name().tenant(), settings.note()),
            settings.plan().stream(),
            settings.labels().entrySet().stream()
                .flatMap(label -> Stream.of(label.getKey(), label.getValue())))
        .flatMap(some -> some);
  }
}
