package io.weir.operators.explain;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.Subject;
import io.weir.core.throttle.Failures;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.core.throttle.UnknownSubjectException;
import io.weir.node.admin.OperatorWork;
import io.weir.node.admission.Witness.Question;
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
import io.weir.operators.explain.Explained.Decided;
import io.weir.operators.rehearsal.NodeRehearsals;
import io.weir.state.inspect.StateInspector;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Explains what would be decided now; takes nothing. For one event loop. */
public final class Explainer {
  private static final ProblemDetails UNKNOWN = ProblemDetails.of(
      404,
      "key_unknown",
      "The policy in force has no such subject, and there is no usable record of such a key");

  private static final int MOST_OPERATIONS = 100;
  /** As many as nodes remember of a key. */
  private static final int MOST_DENIALS = 32;

  private final OperatorWork work;
  private final NodeParts node;
  private final StateInspector inspector;
  private final DenialSearch denials;
  private final NodeRehearsals rehearsals;
  private final Supplier<Instant> now;

  /**
   * An explainer.
   *
   * @param inspector whose calls take as long as they need
   * @param denials know the limits that denied requests carried
   * @param rehearsals know the limits in audit mode
   * @param now tells Redis's time
   */
  public Explainer(
      Vertx vertx,
      NodeParts node,
      StateInspector inspector,
      DenialSearch denials,
      NodeRehearsals rehearsals,
      Supplier<Instant> now) {
    this.work = new OperatorWork(vertx);
    this.node = node;
    this.inspector = inspector;
    this.denials = denials;
    this.rehearsals = rehearsals;
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
      List<String> operations = operations(subject);
      List<Future<Decided>> enforced = new ArrayList<>(operations.stream()
          .map(operation -> decided(subject, operation, cost))
          .toList());
      carrying.ifPresent(it -> enforced.add(decided(it, RequestLimit.OPERATION, cost)));
      List<Future<List<Decided>>> audited = operations.stream()
          .map(operation -> audited(subject, operation, cost))
          .toList();
      return Future.all(Future.all(enforced), Future.all(audited))
          .compose(done -> work.run(() -> {
            List<Decided> decided = enforced.stream().map(Future::result).toList();
            List<Decided> beside =
                audited.stream().flatMap(it -> it.result().stream()).toList();
            return new KeyExplanation(
                    explained(operator, subject, decided),
                    beside.stream().map(it -> explanation(it, KeyStates.NONE)).toList())
                .toJson();
          }));
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
        .find(work, operator.name(), asked)
        .map(found -> CarriedLimit.newest(found).flatMap(limit -> limits.subject(subject, limit)));
  }

  private List<String> operations(Subject subject) {
    return Stream.concat(
            node.policies().current().policy().routing().rules().stream().map(OperationRule::name),
            subject.plan().operations().stream())
        .distinct()
        .limit(MOST_OPERATIONS)
        .toList();
  }

  /** An operation, and what a newcomer would get; empty if the shared state does not answer. */
  private Future<Decided> decided(Subject subject, String operation, Optional<Long> cost) {
    long operations = cost(operation, cost);
    return node.admission()
        .peek(work.loop(), subject, operation, operations)
        .map(Optional::of)
        .recover(Explainer::withoutDecision)
        .map(decision -> new Decided(subject, operation, operations, decision));
  }

  private long cost(String operation, Optional<Long> asked) {
    return asked.orElseGet(() -> node.policies().current().policy().ownCost(operation));
  }

  // By the limits in audit mode; none if the shared state does not answer.
  private Future<List<Decided>> audited(Subject subject, String operation, Optional<Long> cost) {
    Question question = new Question(subject, operation, cost(operation, cost));
    Subject beside = new Subject(
        subject.id(),
        subject.tenant(),
        subject.plan().audited().orElse(subject.plan()),
        subject.secretHash(),
        subject.source());
    return rehearsals
        .peekAudited(question)
        .otherwise(List.of())
        .map(decisions -> decisions.stream()
            .map(it -> new Decided(beside, operation, question.cost(), Optional.of(it)))
            .toList());
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
    KeyStates states = decisions.isEmpty()
        ? KeyStates.NONE
        : KeyStates.read(inspector, node.policies().bursts(), now.get(), shown, subject, decisions);
    return all.stream().map(one -> explanation(one, states)).toList();
  }

  private Explanation explanation(Decided one, KeyStates states) {
    return new Explanation(
        new Explained(one, node.policies().current().policy(), now.get(), states));
  }
}
