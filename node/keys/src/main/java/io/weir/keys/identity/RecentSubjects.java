package io.weir.keys.identity;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.weir.core.throttle.Failures;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.keys.identity.SubjectOwners.Owner;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Operator;
import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.Bulkhead.Portion;
import io.weir.node.json.JsonInput;
import io.weir.state.policy.NodeQuestions;
import io.weir.state.policy.NodeQuestions.Answers;
import io.weir.state.policy.NodeQuestions.TooManyQuestionsException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The tenants and plans of subjects for which only their requests state them, by token or header: operators name such a
 * subject without its token. Each node remembers those of its own requests, in bounded memory; those used least are
 * forgotten. Nodes ask each other by the hash of a name: an operator may have typed a key. Mutable; safe for use by many
 * threads.
 */
final class RecentSubjects {
  private static final String TOPIC = "subjects";
  private static final int MOST = 10_000;
  private static final int MOST_OF_OPERATOR = 4;
  /** The operators' other questions keep the rest of those that a node may have open. */
  private static final int MOST_OPEN = 16;

  private static final ProblemDetails FULL = ProblemDetails.of(
      503, "questions_full", "Too many questions to the nodes are open: ask again");
  private static final ProblemDetails SILENT = ProblemDetails.of(
      503, "nodes_silent", "Not every node has answered: one of them may remember it");
  private static final ProblemDetails AMBIGUOUS = ProblemDetails.of(
      409,
      "subject_ambiguous",
      "Requests of several tenants have this name, and none has a record");

  private final Vertx vertx;
  private final NodeQuestions nodes;
  private final Bulkhead open = new Bulkhead(MOST_OF_OPERATOR, MOST_OPEN, MOST_OPEN);
  private final RememberedOwners here = new RememberedOwners(MOST);

  RecentSubjects(Vertx vertx, NodeQuestions nodes) {
    this.vertx = vertx;
    this.nodes = nodes;
    nodes.answer(
        TOPIC,
        hash -> CompletableFuture.completedFuture(here.find(hash).toJson().encode()));
  }

  private record Found(SubjectOwners owners, boolean isAll) {}

  /** Remembers the subject of a request. */
  void add(String name, Owner owner) {
    here.add(name, owner);
  }

  /**
   * The owner of the last request with this name at any node, for an operator of all tenants or of this one. Fails with
   * {@link RefusedException} if it has several, if too many are being looked for, or if a node that may know it is silent.
   */
  Future<Optional<Owner>> find(String name, Operator operator) {
    String hash = RememberedOwners.hash(name);
    Optional<Portion> portion = open.tryTake(operator.name(), "", 1);
    if (portion.isEmpty()) {
      return Future.failedFuture(new RefusedException(FULL));
    }
    return Future.succeededFuture()
        .compose(
            begun -> Future.fromCompletionStage(nodes.ask(TOPIC, hash), vertx.getOrCreateContext()))
        .onComplete(asked -> portion.get().free())
        .map(answers -> all(hash, answers))
        .recover(error -> withoutOthers(hash, Failures.cause(error)))
        .map(found -> only(found.owners().of(operator.tenant()), found.isAll()));
  }

  private Found all(String hash, Answers answers) {
    SubjectOwners owners = answers.texts().stream()
        .map(text -> SubjectOwners.of(JsonInput.object(text)))
        .reduce(here.find(hash), SubjectOwners::with);
    return new Found(owners, answers.texts().size() >= answers.asked());
  }

  private static Optional<Owner> only(List<Owner> owners, boolean isAll) {
    if (owners.isEmpty() && !isAll) {
      throw new RefusedException(SILENT);
    }
    if (owners.size() > 1) {
      throw new RefusedException(AMBIGUOUS.with(
          "tenants", new JsonArray(owners.stream().map(Owner::tenant).sorted().toList())));
    }
    return owners.stream().findFirst();
  }

  // Without Redis, this node knows no other one.
  private Future<Found> withoutOthers(String hash, Throwable cause) {
    if (cause instanceof StoreUnavailableException) {
      return Future.succeededFuture(new Found(here.find(hash), false));
    }
    return Future.failedFuture(
        cause instanceof TooManyQuestionsException ? new RefusedException(FULL) : cause);
  }
}
