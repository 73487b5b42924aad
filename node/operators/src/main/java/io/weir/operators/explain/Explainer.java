package io.weir.operators.explain;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Limit;
import io.weir.core.kind.Kind;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.Plan;
import io.weir.core.policy.Subject;
import io.weir.core.throttle.Failures;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.core.throttle.UnknownSubjectException;
import io.weir.node.admin.OperatorWork;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.KeyPrefix;
import io.weir.node.auth.Operator;
import io.weir.node.extension.NodeParts;
import io.weir.node.resp.limit.RequestLimit;
import io.weir.node.resp.limit.RequestLimits;
import io.weir.operators.denial.CarriedLimit;
import io.weir.operators.denial.DenialQuery;
import io.weir.operators.denial.DenialSearch;
import io.weir.operators.explain.Explained.Holder;
import io.weir.state.inspect.StateInspector;
import io.weir.state.wire.RedisKeys;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Explains what would be decided now; takes nothing. For one event loop. */
public final class Explainer {
  private static final ProblemDetails UNKNOWN = ProblemDetails.of(
      404,
      "key_unknown",
      "The policy in force has no such subject, and there is no usable record of such a key");

  private static final int MOST_HOLDERS = 20;
  private static final int MOST_OPERATIONS = 100;
  /** As many as nodes remember of a key. */
  private static final int MOST_DENIALS = 32;

  private final OperatorWork work;
  private final Context loop;
  private final NodeParts node;
  private final StateInspector inspector;
  private final DenialSearch denials;
  private final Supplier<Instant> now;

  /**
   * An explainer.
   *
   * @param inspector whose calls take as long as they need
   * @param denials know the limits that denied requests carried
   * @param now tells Redis's time
   */
  public Explainer(
      Vertx vertx,
      NodeParts node,
      StateInspector inspector,
      DenialSearch denials,
      Supplier<Instant> now) {
    this.work = new OperatorWork(vertx);
    this.loop = vertx.getOrCreateContext();
    this.node = node;
    this.inspector = inspector;
    this.denials = denials;
    this.now = now;
  }

  /** The refusal of a name that no subject has. */
  public static RefusedException unknown(String name) {
    return new RefusedException(KeyPrefix.explained(UNKNOWN, name));
  }

  /** The facts of one operation as JSON, with the same in words; to an operator of one tenant nothing of others. */
  public Future<JsonObject> explain(
      Operator operator, Subject subject, String operation, Optional<Long> cost) {
    return decided(subject, operation, cost)
        .compose(decided ->
            work.run(() -> explained(operator, subject, List.of(decided)).get(0).toJson()));
  }

  /** The same of a command that carries its limit: by that of the last denial of one; empty if none is remembered. */
  public Future<Optional<JsonObject>> explainCarried(
      Operator operator, Subject subject, Optional<Long> cost) {
    return carrying(operator, subject)
        .compose(found -> found.isEmpty()
            ? Future.succeededFuture(Optional.empty())
            : explain(operator, found.get(), RequestLimit.OPERATION, cost).map(Optional::of));
  }

  /** The same of all operations, with each limit once. */
  public Future<JsonObject> explainAll(Operator operator, Subject subject, Optional<Long> cost) {
    return carrying(operator, subject).compose(carrying -> {
      Stream<Future<Decided>> ofPolicy =
          operations(subject).map(operation -> decided(subject, operation, cost));
      Stream<Future<Decided>> ofCommand =
          carrying.stream().map(it -> decided(it, RequestLimit.OPERATION, cost));
      return Future.all(Stream.concat(ofPolicy, ofCommand).toList())
          .compose(decided -> work.run(
              () -> new KeyExplanation(explained(operator, subject, decided.list())).toJson()));
    });
  }

  // The subject with the limit that its last denied command carried: only commands know it.
  private Future<Optional<Subject>> carrying(Operator operator, Subject subject) {
    RequestLimits limits = RequestLimits.of(node.policies().current().policy());
    if (!limits.isTakenBy(subject.plan())) {
      return Future.succeededFuture(Optional.empty());
    }
    DenialQuery asked = new DenialQuery(
        Optional.empty(),
        Optional.of(subject.tenant()),
        Optional.of(subject.id()),
        false,
        MOST_DENIALS);
    return denials
        .find(loop, work, operator.name(), asked)
        .map(found -> CarriedLimit.newest(found).flatMap(limit -> limits.subject(subject, limit)));
  }

  private Stream<String> operations(Subject subject) {
    return Stream.concat(
            node.policies().current().policy().rules().stream().map(OperationRule::name),
            subject.plan().operations().stream())
        .distinct()
        .limit(MOST_OPERATIONS);
  }

  /** An operation, and what a newcomer would get; empty if the shared state does not answer. */
  private record Decided(
      Subject subject, String operation, long cost, Optional<Decision> decision) {}

  private Future<Decided> decided(Subject subject, String operation, Optional<Long> cost) {
    long operations = cost.orElseGet(() -> node.policies().current().policy().ownCost(operation));
    return node.admission()
        .peek(loop, subject, operation, operations)
        .map(Optional::of)
        .recover(Explainer::withoutDecision)
        .map(decision -> new Decided(subject, operation, operations, decision));
  }

  private static Future<Optional<Decision>> withoutDecision(Throwable error) {
    Throwable cause = Failures.cause(error);
    if (cause instanceof StoreUnavailableException) {
      return Future.succeededFuture(Optional.empty());
    }
    return Future.failedFuture(
        cause instanceof UnknownSubjectException ? new RefusedException(UNKNOWN) : cause);
  }

  private List<Explanation> explained(Operator operator, Subject subject, List<Decided> all) {
    // States of scope cluster show the usage of other tenants.
    List<Scope> shown =
        operator.tenant().isPresent() ? List.of(Scope.KEY, Scope.TENANT) : List.of(Scope.values());
    List<Decision> decisions =
        all.stream().flatMap(one -> one.decision().stream()).toList();
    Map<String, Map<String, String>> states = new LinkedHashMap<>();
    Map<String, List<Holder>> holders = new LinkedHashMap<>();
    if (!decisions.isEmpty()) {
      try {
        decisions.forEach(decision -> putHolders(shown, subject, decision, holders));
        putStates(shown, subject, states);
      } catch (StoreUnavailableException e) { // the decisions count without
        states.put("error", Map.of("error", String.valueOf(e.getMessage())));
      }
    }
    return all.stream()
        .map(one -> new Explanation(new Explained(
            one.subject(),
            one.operation(),
            one.cost(),
            node.policies().current().policy(),
            one.decision(),
            now.get(),
            states,
            holders)))
        .toList();
  }

  private void putStates(
      List<Scope> shown, Subject subject, Map<String, Map<String, String>> states) {
    Plan plan = subject.plan();
    String bursts = node.policies().bursts();
    for (Scope scope : shown) {
      if (has(plan, scope)) {
        String state = RedisKeys.state(scope, subject.tenant(), subject.id());
        put(states, state, inspector.showAll(state, bursts, List.of(plan)));
      }
    }
    states.putAll(inspector.showPools(
        plan.buckets().filter(bucket -> shown.contains(bucket.scope())),
        subject.tenant(),
        subject.id(),
        bursts));
  }

  private static boolean has(Plan plan, Scope scope) {
    return scope == Scope.KEY // who waits is kept with the key
        || plan.buckets().anyMatch(bucket -> bucket.scope() == scope)
        || plan.kinds().anyMatch(kind -> kind.scope() == scope);
  }

  private static void put(
      Map<String, Map<String, String>> states, String state, Map<String, String> fields) {
    if (!fields.isEmpty()) {
      states.put(state, fields);
    }
  }

  private void putHolders(
      List<Scope> shown, Subject subject, Decision decision, Map<String, List<Holder>> holders) {
    for (Limit limit : decision.limits()) {
      boolean isNew = !holders.containsKey(limit.bucket());
      if (isNew && limit.kind() == Kind.PERMIT && shown.contains(limit.scope())) {
        String state = RedisKeys.state(limit.scope(), subject.tenant(), subject.id());
        List<Holder> found = new ArrayList<>();
        inspector
            .holders(state, limit.bucket(), MOST_HOLDERS)
            .forEach((id, until) -> found.add(new Holder(id, instant(until))));
        found.removeIf(holder -> holder.until().isBefore(now.get()));
        holders.put(limit.bucket(), found);
      }
    }
  }

  private static Instant instant(long micros) {
    return Instant.ofEpochMilli(TimeUnit.MICROSECONDS.toMillis(micros));
  }
}
