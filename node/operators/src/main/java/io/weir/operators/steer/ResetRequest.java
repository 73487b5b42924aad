package io.weir.operators.steer;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Names;
import io.weir.core.bucket.Scope;
import io.weir.core.kind.Kind;
import io.weir.core.kind.KindDemand;
import io.weir.core.policy.Plan;
import io.weir.node.admin.OperatorBodies;
import io.weir.operators.steer.RedisReset.What;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The request of an operator for a reset. Immutable.
 *
 * @param key the id of a key; otherwise a tenant is meant
 * @param limits the only limits that are reset; empty for all
 * @param queue whether places are forgotten
 */
public record ResetRequest(
    Optional<String> key, Optional<String> tenant, Optional<List<String>> limits, boolean queue) {
  /** The code of a refusal. */
  public static final String INVALID = "reset_invalid";

  private static final int MOST_NAMED = 20;
  private static final Set<String> FIELDS = Set.of("key", "tenant", "limits", "queue");

  /** Reads a body; throws {@link io.weir.node.answer.RefusedException} with all mistakes. */
  public static ResetRequest read(JsonObject body) {
    List<String> mistakes = new ArrayList<>(0);
    body.fieldNames().stream()
        .filter(name -> !FIELDS.contains(name))
        .forEach(name -> mistakes.add(
            "%s: no such field (expected: key or tenant, limits, queue)".formatted(name)));
    Optional<String> key = text(body, "key", mistakes);
    Optional<String> tenant = text(body, "tenant", mistakes);
    if (body.containsKey("key") == body.containsKey("tenant")) {
      mistakes.add("key, tenant: (expected: one of them)");
    }
    Optional<List<String>> limits = limits(body, mistakes);
    Object queue = body.getValue("queue", limits.isEmpty());
    if (!(queue instanceof Boolean)) {
      mistakes.add("queue: (expected: true or false)");
    }
    if (!mistakes.isEmpty()) {
      throw OperatorBodies.invalid(INVALID, mistakes);
    }
    return new ResetRequest(key, tenant, limits, (Boolean) queue);
  }

  private static Optional<String> text(JsonObject body, String name, List<String> mistakes) {
    Object value = body.getValue(name);
    if (value instanceof String text
        && (name.equals("key") ? Names.isSubject(text) : Names.isId(text))) {
      return Optional.of(text);
    }
    if (body.containsKey(name)) {
      mistakes.add("%s: (expected: the id of a %s)".formatted(name, name));
    }
    return Optional.empty();
  }

  private static Optional<List<String>> limits(JsonObject body, List<String> mistakes) {
    if (!body.containsKey("limits")) {
      return Optional.empty();
    }
    boolean isList = body.getValue("limits") instanceof JsonArray list
        && list.stream().allMatch(String.class::isInstance);
    if (!isList) {
      mistakes.add("limits: (expected: a list of names of buckets and quotas)");
      return Optional.empty();
    }
    return Optional.of(
        body.getJsonArray("limits").stream().map(String.class::cast).toList());
  }

  /**
   * Its meaning for limits of a scope under these plans; throws {@link io.weir.node.answer.RefusedException} if it
   * names a limit that none of them has.
   *
   * @param carried names of limits that requests carry
   */
  public What of(Scope scope, Collection<Plan> plans, Collection<String> carried) {
    Set<String> rates = plans.stream()
        .flatMap(Plan::buckets)
        .filter(bucket -> bucket.scope() == scope)
        .map(Bucket::name)
        .collect(Collectors.toCollection(HashSet::new));
    rates.addAll(carried);
    Set<String> leased = plans.stream()
        .flatMap(Plan::buckets)
        .filter(bucket -> bucket.scope() == scope && bucket.leased())
        .map(Bucket::name)
        .collect(Collectors.toSet());
    Set<String> quotas = plans.stream()
        .flatMap(Plan::kinds)
        .filter(kind -> kind.kind() == Kind.QUOTA && kind.scope() == scope)
        .map(KindDemand::name)
        .collect(Collectors.toSet());
    if (limits.isEmpty()) {
      return new What(List.of(RedisReset.ALL), List.copyOf(leased), List.copyOf(quotas), queue);
    }
    List<String> unknown = limits.get().stream()
        .filter(name -> !rates.contains(name) && !quotas.contains(name))
        .toList();
    if (!unknown.isEmpty()) {
      String known = Stream.concat(rates.stream(), quotas.stream())
          .sorted()
          .limit(MOST_NAMED)
          .collect(Collectors.joining(", "));
      throw OperatorBodies.invalid(
          INVALID,
          unknown.stream()
              .limit(MOST_NAMED)
              .map(name -> "limits: '%s' (expected: %s)".formatted(name, known))
              .toList());
    }
    return new What(
        limits.get().stream().filter(rates::contains).toList(),
        limits.get().stream().filter(leased::contains).toList(),
        limits.get().stream().filter(quotas::contains).toList(),
        queue);
  }
}
