package io.weir.node.admin;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.throttle.Failures;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.answer.VersionTag;
import io.weir.node.auth.Operator;
import io.weir.node.auth.Operator.Scope;
import io.weir.state.audit.RedisAudit;
import io.weir.state.document.PolicyDocuments;
import io.weir.state.policy.ChangedException;
import io.weir.state.policy.ClusterPolicy;
import io.weir.state.policy.Edit;
import io.weir.state.policy.InForce;
import io.weir.state.policy.Publication;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How operators put policies in force: conditions, rehearsals, differences, and the audit. For one event loop. */
public final class PolicyAdmin {
  private static final int TRIES = 5;
  private static final String POLICY_FILE = "policyFile";
  private static final Logger LOG = LoggerFactory.getLogger(PolicyAdmin.class);

  private final OperatorWork work;
  private final ClusterPolicy policies;
  private final OperatorAudit audit;
  private final Stranding stranding;
  private final WatchedFile file;

  /**
   * A desk of one event loop.
   *
   * @param file the policy file that the node follows
   */
  public PolicyAdmin(
      Vertx vertx,
      ClusterPolicy policies,
      RedisAudit audit,
      Stranding stranding,
      WatchedFile file) {
    this.work = new OperatorWork(vertx);
    this.policies = policies;
    this.audit = new OperatorAudit(work, audit);
    this.stranding = stranding;
    this.file = file;
  }

  ClusterPolicy policies() {
    return policies;
  }

  /** The state of the policy file beside this policy, if the node follows one. */
  Optional<String> beside(String text) {
    return file.beside(text).map(WatchedFile.State::word);
  }

  /** Puts a policy in force for all nodes, or refuses it as a whole; or only checks it. */
  Future<Void> put(HttpServerRequest request, ChangeRequest wish, String text) {
    return seen(wish)
        .compose(inForce -> {
          OptionalLong expected = wish.expected().isPresent()
              ? OptionalLong.of(inForce.revision())
              : OptionalLong.empty();
          return done(wish, inForce, expected, text);
        })
        .recover(error -> refused(error, wish))
        .compose(publication -> answer(request, wish, publication, text));
  }

  /**
   * The same for an edit of the policy in force; again if another operator was faster.
   *
   * @param edit makes the text anew; it may throw a refusal
   */
  Future<Void> edit(HttpServerRequest request, ChangeRequest wish, UnaryOperator<String> edit) {
    return seen(wish)
        .compose(inForce -> edited(wish, inForce, edit, TRIES))
        .recover(error -> refused(error, wish).map(publication -> new Edited(publication, "")))
        .compose(edited -> answer(request, wish, edited.publication(), edited.text()));
  }

  private record Edited(Publication publication, String text) {}

  private Future<Edited> edited(
      ChangeRequest wish, InForce inForce, UnaryOperator<String> edit, int tries) {
    return aside(() -> edit.apply(inForce.text()))
        .compose(text -> done(wish, inForce, OptionalLong.of(inForce.revision()), text)
            .map(publication -> new Edited(publication, text)))
        .recover(error -> {
          boolean isLost = Failures.cause(error) instanceof ChangedException
              && wish.expected().isEmpty()
              && tries > 1;
          return isLost
              ? reloaded().compose(newer -> edited(wish, newer, edit, tries - 1))
              : Future.failedFuture(error);
        });
  }

  private Future<Publication> done(
      ChangeRequest wish, InForce inForce, OptionalLong expected, String text) {
    return unstranded(wish, text)
        .compose(sound ->
            wish.isDryRun() ? checked(text, inForce.revision()) : published(text, wish, expected));
  }

  // Refuses a policy by which stored keys lose limits that they have now.
  private Future<Void> unstranded(ChangeRequest wish, String text) {
    if (wish.isForced()) {
      return Future.succeededFuture();
    }
    return aside(() -> PolicyDocuments.parse("policy", text).policy())
        .compose(candidate -> stranding.ofChange(policies.current().policy(), candidate))
        .compose(stranded -> stranded.isEmpty()
            ? Future.succeededFuture()
            : Future.failedFuture(new RefusedException(stranded.problem())));
  }

  // A node that has not heard of the newest revision yet looks for it before it refuses.
  private Future<InForce> seen(ChangeRequest wish) {
    InForce inForce = policies.inForce();
    if (isExpected(wish, inForce)) {
      return Future.succeededFuture(inForce);
    }
    return reloaded()
        .compose(newer -> isExpected(wish, newer)
            ? Future.succeededFuture(newer)
            : changed(wish.expected().orElseThrow()));
  }

  private static boolean isExpected(ChangeRequest wish, InForce inForce) {
    return wish.expected()
        .filter(tags -> !VersionTag.matches(tags, inForce.revision()))
        .isEmpty();
  }

  private Future<InForce> reloaded() {
    return of(policies.reload(0)).map(loaded -> policies.inForce());
  }

  // A check leaves the revision in force unchanged, and answers with it.
  private Future<Publication> checked(String text, long current) {
    return aside(() -> PolicyDocuments.parse("policy", text))
        .map(reading -> new Publication(current, current, reading.warnings()));
  }

  private Future<Publication> published(String text, ChangeRequest wish, OptionalLong expected) {
    Edit edit = new Edit(wish.operator().name(), wish.comment());
    return Future.fromCompletionStage(policies.publish("policy", text, expected, edit), work.loop())
        .compose(publication -> publication.isUnchanged()
            ? Future.succeededFuture(publication)
            : audited(publication, wish).map(publication));
  }

  private Future<Void> audited(Publication publication, ChangeRequest wish) {
    LOG.info("policy revision {} was published here", publication.revision());
    return audit.add(
        wish.operator(),
        "publish",
        "policy",
        new JsonObject().put("revision", publication.replaced()).encode(),
        new JsonObject()
            .put("revision", publication.revision())
            .put("comment", wish.comment())
            .encode());
  }

  private Future<Void> answer(
      HttpServerRequest request, ChangeRequest wish, Publication publication, String text) {
    String name = wish.isDryRun() ? "draft" : name(publication.revision());
    return of(policies.text(publication.replaced()))
        .otherwise(Optional.empty())
        .compose(before -> aside(
            () -> before.map(it -> PolicyDiff.of(name(publication.replaced()), it, name, text))))
        .compose(diff -> {
          JsonObject answer = new JsonObject()
              .put("revision", publication.revision())
              .put("warnings", PolicyProblems.json(publication.warnings()))
              .put("diff", diff.orElse(""));
          if (wish.isDryRun()) {
            answer.put(ChangeRequest.DRY_RUN, true);
          } else {
            if (publication.isUnchanged()) {
              answer.put("unchanged", true);
            }
            beside(text).ifPresent(state -> answer.put(POLICY_FILE, state));
          }
          return request
              .response()
              .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
              .putHeader(HttpHeaders.ETAG, VersionTag.of(publication.revision()))
              .end(answer.toBuffer());
        });
  }

  // Tells what has changed since the revision that the operator has seen.
  private <T> Future<T> changed(String tags) {
    long current = policies.inForce().revision();
    ProblemDetails changed = ProblemDetails.of(
        412,
        "policy_changed",
        "Another revision is in force than If-Match names: %d".formatted(current));
    String text = policies.inForce().text();
    OptionalLong seen = VersionTag.version(tags);
    if (seen.isEmpty()) {
      return Future.failedFuture(new RefusedException(changed.with("revision", current)));
    }
    return of(policies.text(seen.getAsLong()))
        .otherwise(Optional.empty())
        .compose(before -> aside(
            () -> before.map(it -> PolicyDiff.of(name(seen.getAsLong()), it, name(current), text))))
        .compose(diff -> {
          ProblemDetails problem = changed.with("revision", current);
          return Future.failedFuture(
              new RefusedException(diff.map(it -> problem.with("diff", it)).orElse(problem)));
        });
  }

  private Future<Publication> refused(Throwable error, ChangeRequest wish) {
    Throwable cause = Failures.cause(error);
    if (cause instanceof ChangedException && wish.expected().isPresent()) {
      return reloaded().transform(newer -> changed(wish.expected().get()));
    }
    if (cause instanceof InvalidPolicyException invalid) {
      return Future.failedFuture(new RefusedException(PolicyProblems.refusal(invalid)));
    }
    if (cause instanceof RefusedException) {
      return Future.failedFuture(cause);
    }
    LOG.warn("a policy was not published: {}", cause.getMessage());
    return Future.failedFuture(new RefusedException(ProblemDetails.unavailable()));
  }

  /** The result of a call to the shared state, on this event loop. */
  <T> Future<T> of(CompletionStage<T> stage) {
    return work.of(stage);
  }

  /** Runs work that takes longer than an event loop may be held. */
  <T> Future<T> aside(Callable<T> task) {
    return work.run(task);
  }

  /** A text of a policy as an operator sees it. */
  Future<String> shown(Operator operator, String text) {
    return operator.may(Scope.ALL)
        ? Future.succeededFuture(text)
        : aside(() -> PolicySecrets.hidden(text));
  }

  static String name(long revision) {
    return "revision " + revision;
  }
}
