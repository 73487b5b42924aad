package io.weir.keys.directory;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.Access;
import io.weir.core.policy.SubjectEntry;
import io.weir.core.policy.SubjectEntry.TenantEntry;
import io.weir.core.policy.schema.DocumentValue;
import io.weir.core.policy.schema.Position;
import io.weir.keys.record.KeyState;
import io.weir.keys.record.StoredRecord;
import io.weir.keys.record.TimedOverride;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Turns records into subjects that a policy compiles. */
public final class Subjects {
  /** Before the end of any override. */
  private static final long EVER = Long.MIN_VALUE;

  private Subjects() {}

  /** The entry that a policy compiles, with the overrides that are in force at this moment. */
  public static SubjectEntry entry(
      StoredRecord key, Optional<StoredRecord> tenant, long nowMillis) {
    return new SubjectEntry(
        key.name().id(),
        key.name().tenant(),
        key.settings().plan(),
        access(key),
        overrides(key, nowMillis),
        tenant(tenant, nowMillis));
  }

  /** The settings of a tenant, with the overrides that are in force at this moment. */
  public static TenantEntry tenant(Optional<StoredRecord> tenant, long nowMillis) {
    return tenant
        .map(it -> new TenantEntry(it.settings().plan(), access(it), overrides(it, nowMillis)))
        .orElse(TenantEntry.NONE);
  }

  /** When the first of the overrides ends that are in force at this moment. */
  static long endsMillis(StoredRecord entry, long nowMillis) {
    return entry.settings().overrides().stream()
        .filter(override -> override.isInForceAt(nowMillis))
        .flatMapToLong(override -> override.untilMillis().stream())
        .min()
        .orElse(Long.MAX_VALUE);
  }

  private static Access access(StoredRecord entry) {
    return entry.settings().validity().state() == KeyState.ACTIVE ? Access.LIMITED : Access.FROZEN;
  }

  private static List<DocumentValue> overrides(StoredRecord entry, long nowMillis) {
    return entry.settings().overrides().stream()
        .filter(override -> override.isInForceAt(nowMillis))
        .map(TimedOverride::fields)
        .map(Subjects::document)
        .toList();
  }

  private static DocumentValue document(@Nullable Object value) {
    if (value instanceof JsonObject object) {
      Map<String, DocumentValue> entries = new LinkedHashMap<>();
      object.forEach(one -> entries.put(one.getKey(), document(one.getValue())));
      return new DocumentValue.Mapping(Position.START, entries);
    }
    if (value instanceof JsonArray array) {
      return new DocumentValue.Sequence(
          Position.START, array.stream().map(Subjects::document).toList());
    }
    if (value instanceof Boolean flag) {
      return new DocumentValue.Flag(Position.START, flag);
    }
    if (value instanceof Number number) {
      return new DocumentValue.Numeral(Position.START, number.toString());
    }
    return value == null
        ? new DocumentValue.Nothing(Position.START)
        : new DocumentValue.Text(Position.START, value.toString());
  }

  /** A key, to check its settings: active, with all of its overrides, and without those of its tenant. */
  public static SubjectEntry ofKey(StoredRecord key, Optional<StoredRecord> tenant) {
    return new SubjectEntry(
        key.name().id(),
        key.name().tenant(),
        key.settings().plan().or(() -> tenant.flatMap(it -> it.settings().plan())),
        Access.LIMITED,
        overrides(key, EVER),
        TenantEntry.NONE);
  }

  /** A key of a tenant with a plan, to check the tenant's settings. */
  public static SubjectEntry ofTenant(StoredRecord tenant, String plan) {
    return new SubjectEntry(
        tenant.name().id(),
        tenant.name().id(),
        Optional.of(plan),
        Access.LIMITED,
        List.of(),
        new TenantEntry(Optional.empty(), Access.LIMITED, overrides(tenant, EVER)));
  }
}
