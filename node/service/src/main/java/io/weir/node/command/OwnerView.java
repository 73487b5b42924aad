package io.weir.node.command;

import io.weir.core.bucket.Names;
import io.weir.core.bucket.Scope;
import io.weir.core.policy.Plan;
import io.weir.core.policy.Subject;
import io.weir.state.inspect.StateInspector;
import io.weir.state.wire.RedisKeys;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Shows the state of the limits of a key, a tenant or the cluster. The limits of a key are shown together with those of
 * its tenant and the cluster: a request needs room in all of them.
 *
 * @param words the time now, for words; empty for the fields as they are in Redis
 */
record OwnerView(StateInspector inspector, PolicyInForce policy, Optional<Instant> words) {
  private static final Pattern KEY_STATE = Pattern.compile("weir:\\{\\w+}:([^:]+):key:([^:]+)");
  private static final Pattern TENANT_STATE = Pattern.compile("weir:\\{\\w+}:([^:]+):tenant");

  /**
   * Prints an owner.
   *
   * @param text as it was typed, or the name of a state in Redis
   * @return an error if the policy does not know the owner and Redis has no state of it
   */
  Optional<String> print(String text, PrintWriter out) {
    Matcher key = KEY_STATE.matcher(text);
    if (key.matches()
        && RedisKeys.key(key.group(1), Names.unescaped(key.group(2))).equals(text)) {
      return printKey(key.group(1), Names.unescaped(key.group(2)), out);
    }
    Matcher tenant = TENANT_STATE.matcher(text);
    if (tenant.matches() && RedisKeys.tenant(tenant.group(1)).equals(text)) {
      return printTenant(tenant.group(1), out);
    }
    if (text.equals("cluster") || text.equals(RedisKeys.CLUSTER)) {
      return printCluster(out);
    }
    if (text.startsWith("weir:")) {
      return printState(text, out);
    }
    return printTyped(text, out);
  }

  private Optional<String> printTyped(String text, PrintWriter out) {
    int slash = text.indexOf('/');
    if (slash < 0) {
      return policy
          .subject(text)
          .map(subject -> printKey(subject.tenant(), text, out))
          .orElseGet(() -> unknown("key " + text));
    }
    String tenant = text.substring(0, slash);
    return slash == text.length() - 1
        ? printTenant(tenant, out)
        : printKey(tenant, text.substring(slash + 1), out);
  }

  private Optional<String> printKey(String tenant, String id, PrintWriter out) {
    Optional<Subject> subject = policy.subject(id).filter(it -> it.tenant().equals(tenant));
    Map<String, Map<String, String>> states = new LinkedHashMap<>();
    List<Plan> plans = subject.map(it -> List.of(it.plan())).orElse(List.of());
    put(states, RedisKeys.key(tenant, id), plans);
    if (subject.isEmpty() && states.isEmpty()) {
      return unknown(noKey(tenant, id));
    }
    if (subject.isEmpty()) {
      out.println(
          Wrapped.lines("There is no %s in the policy in force.".formatted(noKey(tenant, id))));
    } else {
      put(states, RedisKeys.tenant(tenant), plans);
      put(states, RedisKeys.CLUSTER, plans);
      putPools(states, plans, Set.of(Scope.values()), tenant, id);
    }
    return printed(tenant + "/" + id, RedisKeys.key(tenant, id), states, out);
  }

  private String noKey(String tenant, String id) {
    return "key %s of the tenant %s%s"
        .formatted(
            id,
            tenant,
            policy
                .subject(id)
                .filter(other -> !other.tenant().equals(tenant))
                .map(other -> "; %s is a key of the tenant %s".formatted(id, other.tenant()))
                .orElse(""));
  }

  private Optional<String> printTenant(String tenant, PrintWriter out) {
    List<Plan> plans = policy.plansOf(tenant);
    Map<String, Map<String, String>> states = new LinkedHashMap<>();
    put(states, RedisKeys.tenant(tenant), plans);
    putPools(states, plans, Set.of(Scope.TENANT), tenant, "");
    return states.isEmpty() && !policy.names(tenant)
        ? unknown("tenant " + tenant + " of which anything is used")
        : printed(tenant + "/", RedisKeys.tenant(tenant), states, out);
  }

  private Optional<String> printCluster(PrintWriter out) {
    Map<String, Map<String, String>> states = new LinkedHashMap<>();
    List<Plan> plans = policy.plans(subject -> true);
    put(states, RedisKeys.CLUSTER, plans);
    putPools(states, plans, Set.of(Scope.CLUSTER), "", "");
    return printed("cluster", RedisKeys.CLUSTER, states, out);
  }

  // Prints counters and other states of an owner, which need no policy.
  private Optional<String> printState(String state, PrintWriter out) {
    Map<String, String> fields = inspector.show(state);
    Rows.print(fields, out);
    return fields.isEmpty() ? Optional.of("there is no state " + state) : Optional.empty();
  }

  private void putPools(
      Map<String, Map<String, String>> states,
      List<Plan> plans,
      Set<Scope> scopes,
      String tenant,
      String subject) {
    states.putAll(StateInspector.await(inspector.showPools(
        plans.stream().flatMap(Plan::buckets).filter(bucket -> scopes.contains(bucket.scope())),
        tenant,
        subject,
        policy.bursts())));
  }

  private void put(Map<String, Map<String, String>> states, String state, List<Plan> plans) {
    put(states, state, StateInspector.await(inspector.showAll(state, policy.bursts(), plans)));
  }

  private static void put(
      Map<String, Map<String, String>> states, String state, Map<String, String> fields) {
    if (!fields.isEmpty()) {
      states.put(state, fields);
    }
  }

  private Optional<String> printed(
      String owner, String own, Map<String, Map<String, String>> states, PrintWriter out) {
    if (!states.containsKey(own)) {
      out.println(Wrapped.lines(
          "%s: nothing is used, all of its own buckets and limits are empty.".formatted(owner)));
    }
    states.forEach((state, fields) -> {
      if (words.isPresent()) {
        new StateWords(words.get(), out).print(title(state), state, fields);
      } else {
        out.println(Wrapped.lines(state));
        Rows.print(fields, out);
      }
    });
    return Optional.empty();
  }

  private static String title(String state) {
    Matcher key = KEY_STATE.matcher(state);
    if (key.matches()) {
      return "Limits of the key %s/%s:".formatted(key.group(1), Names.unescaped(key.group(2)));
    }
    Matcher tenant = TENANT_STATE.matcher(state);
    if (tenant.matches()) {
      return "Limits that the keys of the tenant %s share:".formatted(tenant.group(1));
    }
    return state.equals(RedisKeys.CLUSTER)
        ? "Limits that all keys share:"
        : "A limit of which nodes fetch parts ahead, without these parts:";
  }

  private Optional<String> unknown(String what) {
    return Optional.of("there is no " + what + policy.revisionText());
  }
}
