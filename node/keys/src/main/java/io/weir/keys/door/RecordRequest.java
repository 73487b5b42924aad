package io.weir.keys.door;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.Policy;
import io.weir.core.policy.SubjectEntry.Compiled;
import io.weir.keys.directory.Subjects;
import io.weir.keys.record.KeyState;
import io.weir.keys.record.RecordType;
import io.weir.keys.record.Settings;
import io.weir.keys.record.Stamp;
import io.weir.keys.record.StoredRecord;
import io.weir.node.admin.Operators;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Operator;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Reads and checks what operators ask for. */
final class RecordRequest {
  static final String INVALID = "record_invalid";

  private RecordRequest() {}

  /** Notes every field that is not known. */
  static void requireKnown(JsonObject json, Set<String> known, List<String> mistakes) {
    String expected = String.join(", ", new TreeSet<>(known));
    json.fieldNames().stream()
        .filter(name -> !known.contains(name))
        .limit(20)
        .map(name -> "%s: no such field (expected: %s)"
            .formatted(name.length() > 40 ? name.substring(0, 40) + "…" : name, expected))
        .forEach(mistakes::add);
  }

  /** A text of a form, if the field is there. */
  static Optional<String> text(JsonObject json, String field, String form, List<String> mistakes) {
    Object value = json.getValue(field);
    if (value == null) {
      return Optional.empty();
    }
    if (value instanceof String text && text.matches(form)) {
      return Optional.of(text);
    }
    mistakes.add("%s: (expected: %s)".formatted(field, form));
    return Optional.empty();
  }

  /** The settings of a record after a change. */
  static StoredRecord patched(StoredRecord entry, JsonObject patch, Stamp now) {
    List<String> mistakes = new ArrayList<>(0);
    requireKnown(patch, fields(entry.name().kind()), mistakes);
    Settings.findHidden(patch, mistakes);
    Settings settings = Settings.read(entry.settings().patched(patch), now.atMillis(), mistakes);
    if (!mistakes.isEmpty()) {
      throw RecordService.invalid(INVALID, mistakes);
    }
    return entry.with(settings, now);
  }

  /** The fields that an operator sets of a record. */
  static Set<String> fields(RecordType kind) {
    if (kind == RecordType.KEY) {
      return Settings.FIELDS;
    }
    Set<String> fields = new TreeSet<>(Settings.FIELDS);
    fields.remove("expires");
    fields.add(Settings.MAX_KEYS);
    return fields;
  }

  /** Whether a change concerns limits. */
  static boolean setsLimits(JsonObject patch) {
    return patch.containsKey("plan") || patch.containsKey("overrides");
  }

  /** Refuses to set in a record what the policy says of this key or tenant: the record would have no effect. */
  static void requireEffect(Policy policy, RecordType kind, String id, JsonObject patch) {
    boolean setsRules =
        setsLimits(patch) || patch.containsKey("state") || patch.containsKey("expires");
    if (setsRules && kind == RecordType.TENANT && policy.listsTenant(id)) {
      throw new RefusedException(UnrecordedTenant.IN_POLICY);
    }
    if (setsRules && kind == RecordType.KEY && policy.listed(id).isPresent()) {
      throw new RefusedException(KeysDoor.IN_POLICY);
    }
  }

  /**
   * Refuses a plan or overrides that do not fit into the policy; overrides that have ended, too.
   *
   * @param tenant the record of a key's tenant
   */
  static void requireFits(Policy policy, StoredRecord entry, Optional<StoredRecord> tenant) {
    List<String> mistakes = new ArrayList<>(0);
    Optional<String> plan = entry.settings().plan();
    if (plan.filter(name -> !policy.plans().containsKey(name)).isPresent()) {
      mistakes.add("plan: '%s' (expected: one of the plans %s)"
          .formatted(plan.get(), String.join(", ", new TreeSet<>(policy.plans().keySet()))));
    } else if (entry.name().kind() == RecordType.KEY) {
      Compiled compiled = policy.compile(Subjects.ofKey(entry, tenant));
      note(compiled, mistakes);
      if (compiled.plan().isEmpty()) {
        mistakes.add(
            "plan: nothing (expected: one here, of the tenant or in the policy's defaults)");
      }
    } else if (!entry.settings().overrides().isEmpty()) {
      findUnfit(policy, entry, mistakes);
    }
    if (!mistakes.isEmpty()) {
      throw RecordService.invalid(INVALID, mistakes);
    }
  }

  // A tenant's overrides have to fit into at least one plan.
  private static void findUnfit(Policy policy, StoredRecord tenant, List<String> mistakes) {
    List<Compiled> compiled = policy.plans().keySet().stream()
        .map(plan -> policy.compile(Subjects.ofTenant(tenant, plan)))
        .toList();
    if (compiled.stream().noneMatch(one -> one.problems().isEmpty())) {
      compiled.stream().findFirst().ifPresent(one -> note(one, mistakes));
    }
  }

  private static void note(Compiled compiled, List<String> mistakes) {
    compiled
        .problems()
        .forEach(problem -> mistakes.add(problem.location().path() + ": " + problem.message()));
  }

  /** Stands for the end of a record. */
  static final JsonObject DELETED = new JsonObject().put("state", "deleted");

  /** A tenant's operator manages its keys, and not what they may do. */
  static void requireMaySet(Operator operator, JsonObject json) {
    if (operator.tenant().isPresent() && setsLimits(json)) {
      throw Operators.forbidden();
    }
  }

  /**
   * Nor does it undo what others have decided: it neither deletes, to make it anew, nor activates or prolongs a key that has
   * limits of its own or is not active.
   */
  static void requireMayEnd(Operator operator, StoredRecord entry, JsonObject change) {
    Settings settings = entry.settings();
    boolean isGuarded = settings.plan().isPresent()
        || !settings.overrides().isEmpty()
        || settings.validity().state() != KeyState.ACTIVE;
    Object state = change.getValue("state", "active");
    boolean ends = change.containsKey("expires")
        || (change.containsKey("state") && !"frozen".equals(state) && !"disabled".equals(state));
    if (operator.tenant().isPresent() && isGuarded && ends) {
      throw Operators.forbidden();
    }
  }
}
