package io.weir.operators.explain;

import static io.weir.state.inspect.StateInspector.await;

import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.kind.Kind;
import io.weir.core.policy.Plan;
import io.weir.core.policy.Subject;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.operators.explain.Explained.Holder;
import io.weir.state.inspect.QueueWords;
import io.weir.state.inspect.StateInspector;
import io.weir.state.wire.RedisKeys;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The states of a key and of what it shares, and who holds its permits. Immutable.
 *
 * @param states in words, by their keys in Redis; under {@code error} the reason if they cannot be read
 * @param holders by the limit
 */
record KeyStates(Map<String, Map<String, String>> states, Map<String, List<Holder>> holders) {
  static final KeyStates NONE = new KeyStates(Map.of(), Map.of());

  private static final int MOST_HOLDERS = 20;

  /**
   * Reads them; blocks. All questions go to Redis before the first answer is waited for.
   *
   * @param shown the scopes whose states may be shown
   * @param decisions name the permits
   */
  static KeyStates read(
      StateInspector inspector,
      String bursts,
      Instant now,
      List<Scope> shown,
      Subject subject,
      List<Decision> decisions) {
    Map<String, Map<String, String>> states = new LinkedHashMap<>();
    Map<String, List<Holder>> holders = new LinkedHashMap<>();
    try {
      var held = holders(inspector, shown, subject, decisions);
      var used = states(inspector, bursts, shown, subject);
      var pools = inspector.showPools(
          subject.plan().buckets().filter(bucket -> shown.contains(bucket.scope())),
          subject.tenant(),
          subject.id(),
          bursts);
      held.forEach((limit, asked) -> holders.put(limit, present(await(asked), now)));
      used.forEach((state, asked) -> {
        Map<String, String> fields = await(asked);
        if (!fields.isEmpty()) {
          states.put(state, fields);
        }
      });
      states.putAll(await(pools));
    } catch (StoreUnavailableException e) { // the decisions count without
      states.put("error", Map.of("error", String.valueOf(e.getMessage())));
    }
    return new KeyStates(states, holders);
  }

  private static Map<String, CompletableFuture<Map<String, String>>> states(
      StateInspector inspector, String bursts, List<Scope> shown, Subject subject) {
    Plan plan = subject.plan();
    Map<String, CompletableFuture<Map<String, String>>> states = new LinkedHashMap<>();
    for (Scope scope : shown) {
      if (has(plan, scope)) {
        String state = RedisKeys.state(scope, subject.tenant(), subject.id());
        states.put(state, inspector.showAll(state, bursts, List.of(plan)));
      }
    }
    return states;
  }

  private static boolean has(Plan plan, Scope scope) {
    return scope == Scope.KEY // who waits is kept with the key
        || plan.buckets().anyMatch(bucket -> bucket.scope() == scope)
        || plan.kinds().anyMatch(kind -> kind.scope() == scope);
  }

  private static Map<String, CompletableFuture<Map<String, Long>>> holders(
      StateInspector inspector, List<Scope> shown, Subject subject, List<Decision> decisions) {
    Map<String, CompletableFuture<Map<String, Long>>> holders = new LinkedHashMap<>();
    decisions.stream()
        .flatMap(decision -> decision.limits().stream())
        .filter(limit -> limit.kind() == Kind.PERMIT && shown.contains(limit.scope()))
        .forEach(limit -> holders.computeIfAbsent(
            limit.bucket(),
            name -> inspector.holders(
                RedisKeys.state(limit.scope(), subject.tenant(), subject.id()),
                name,
                MOST_HOLDERS)));
    return holders;
  }

  /** The units that are due to waiting callers after a moment, a line for each field of a state. */
  List<String> queue(Instant now) {
    return states.entrySet().stream()
        .flatMap(state -> state.getValue().entrySet().stream()
            .filter(field -> isOfQueue(field.getKey()) && !field.getValue().startsWith("0 "))
            .map(field -> "%s %s %s".formatted(state.getKey(), field.getKey(), field.getValue())))
        .filter(line -> !QueueWords.isOver(line, now))
        .toList();
  }

  private static boolean isOfQueue(String field) {
    return field.endsWith(".due")
        || field.endsWith(".turn")
        || field.endsWith(".own_turn")
        || field.endsWith(".larger")
        || field.startsWith("due_at_");
  }

  private static List<Holder> present(Map<String, Long> holders, Instant now) {
    return holders.entrySet().stream()
        .map(holder -> new Holder(
            holder.getKey(),
            Instant.ofEpochMilli(TimeUnit.MICROSECONDS.toMillis(holder.getValue()))))
        .filter(holder -> !holder.until().isBefore(now))
        .toList();
  }
}
