package io.weir.keys.door;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.Policy;
import io.weir.core.policy.SubjectEntry.Compiled;
import io.weir.keys.directory.Subjects;
import io.weir.keys.record.Entry;
import io.weir.keys.record.KeyState;
import io.weir.keys.record.Kind;
import io.weir.keys.record.Settings;
import io.weir.keys.record.Stamp;
import io.weir.node.admin.Operators;
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
  static Entry patched(Entry entry, JsonObject patch, Stamp now) {
    List<String> mistakes = new ArrayList<>(0);
    requireKnown(patch, fields(entry.kind()), mistakes);
    Settings settings = Settings.read(entry.settings().patched(patch), now.atMillis(), mistakes);
    if (!mistakes.isEmpty()) {
      throw Desk.invalid(INVALID, mistakes);
    }
    return entry.with(settings, now);
  }

  /** The fields that an operator sets of a record. */
  static Set<String> fields(Kind kind) {
    if (kind == Kind.KEY) {
      return Settings.FIELDS;
    }
    Set<String> fields = new TreeSet<>(Settings.FIELDS);
    fields.remove("expires");
    return fields;
  }

  /** Refuses plans and overrides that do not fit into the policy. */
  static void requireFits(Policy policy, Entry entry, Optional<Entry> tenant, long nowMillis) {
    List<String> mistakes = new ArrayList<>(0);
    Optional<String> plan = entry.settings().plan();
    if (plan.filter(name -> !policy.plans().containsKey(name)).isPresent()) {
      mistakes.add("plan: '%s' (expected: one of the plans %s)"
          .formatted(plan.get(), String.join(", ", new TreeSet<>(policy.plans().keySet()))));
    } else if (entry.kind() == Kind.KEY) {
      Compiled compiled = policy.compile(Subjects.entry(
          entry.with(entry.settings().in(KeyState.ACTIVE), entry.changed()), tenant, nowMillis));
      compiled
          .problems()
          .forEach(problem -> mistakes.add(problem.location().path() + ": " + problem.message()));
      if (compiled.plan().isEmpty()) {
        mistakes.add(
            "plan: nothing (expected: one here, of the tenant or in the policy's defaults)");
      }
    } else {
      compiledForEachPlan(policy, entry, nowMillis, mistakes);
    }
    if (!mistakes.isEmpty()) {
      throw Desk.invalid(INVALID, mistakes);
    }
  }

  // A tenant's override has to fit into at least one plan.
  private static void compiledForEachPlan(
      Policy policy, Entry tenant, long nowMillis, List<String> mistakes) {
    if (tenant.settings().overrides().isEmpty()) {
      return;
    }
    List<String> last = new ArrayList<>(0);
    for (String plan : policy.plans().keySet()) {
      Compiled compiled = policy.compile(Subjects.ofTenant(tenant, Optional.of(plan), nowMillis));
      if (compiled.problems().isEmpty()) {
        return;
      }
      last.clear();
      compiled
          .problems()
          .forEach(problem -> last.add(problem.location().path() + ": " + problem.message()));
    }
    mistakes.addAll(last);
  }

  /** A tenant's operator manages its keys, and not what they may do. */
  static void requireMaySet(Operator operator, JsonObject json) {
    boolean setsLimits = json.containsKey("plan") || json.containsKey("overrides");
    if (operator.tenant().isPresent() && setsLimits) {
      throw Operators.forbidden();
    }
  }
}
