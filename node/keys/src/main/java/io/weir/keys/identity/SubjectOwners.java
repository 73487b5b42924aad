package io.weir.keys.identity;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The tenants whose requests have had one name, the last one first. Immutable. */
record SubjectOwners(List<Owner> owners) {
  static final SubjectOwners NONE = new SubjectOwners(List.of());

  private static final int MOST = 4;
  private static final long NEWS_MILLIS = 1000;
  private static final String OWNERS = "owners";
  private static final String TENANT = "tenant";
  private static final String PLAN = "plan";
  private static final String AT_MILLIS = "atMs";

  /**
   * A tenant, and the plan of the subject if its last request has stated one.
   *
   * @param atMillis of that request
   */
  record Owner(String tenant, Optional<String> plan, long atMillis) {
    private JsonObject toJson() {
      JsonObject json = new JsonObject().put(TENANT, tenant).put(AT_MILLIS, atMillis);
      plan.ifPresent(name -> json.put(PLAN, name));
      return json;
    }

    private static Owner of(JsonObject json) {
      return new Owner(
          json.getString(TENANT),
          Optional.ofNullable(json.getString(PLAN)),
          json.getLong(AT_MILLIS));
    }
  }

  SubjectOwners {
    owners = List.copyOf(owners);
  }

  static SubjectOwners of(Owner owner) {
    return new SubjectOwners(List.of(owner));
  }

  static SubjectOwners of(JsonObject json) {
    return new SubjectOwners(json.getJsonArray(OWNERS, new JsonArray()).stream()
        .map(owner -> Owner.of((JsonObject) owner))
        .toList());
  }

  JsonObject toJson() {
    return new JsonObject()
        .put(OWNERS, new JsonArray(owners.stream().map(Owner::toJson).toList()));
  }

  /** Whether a request is worth remembering: a time within a second is not. */
  boolean isNews(Owner owner) {
    return owners.stream()
        .noneMatch(known -> known.tenant().equals(owner.tenant())
            && known.plan().equals(owner.plan())
            && owner.atMillis() - known.atMillis() < NEWS_MILLIS);
  }

  /** These and others: of each tenant its last request, of the last few tenants. */
  SubjectOwners with(SubjectOwners others) {
    Map<String, Owner> byTenant = new LinkedHashMap<>();
    Stream.concat(owners.stream(), others.owners.stream())
        .sorted(Comparator.comparingLong(Owner::atMillis).reversed())
        .forEach(owner -> byTenant.putIfAbsent(owner.tenant(), owner));
    return new SubjectOwners(byTenant.values().stream().limit(MOST).toList());
  }

  /** All, or those of one tenant. */
  List<Owner> of(Optional<String> tenant) {
    return owners.stream()
        .filter(owner -> tenant.map(owner.tenant()::equals).orElse(true))
        .toList();
  }
}
