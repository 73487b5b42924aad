package io.weir.node;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.policy.Problem;
import io.weir.core.throttle.Failures;
import io.weir.state.document.PolicyDocuments;
import io.weir.state.policy.ChangedException;
import io.weir.state.policy.ClusterPolicy;
import io.weir.state.policy.Edit;
import io.weir.state.policy.InForce;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes the policy of a file whenever its text changes, such as a mounted ConfigMap's. A text that is refused leaves
 * the policy in force, and is logged and shown as a metric until it is mended. It looks by time: a mounted file is
 * replaced by a link, of which systems tell in different ways.
 */
final class PolicyFileWatch {
  private static final Logger LOG = LoggerFactory.getLogger(PolicyFileWatch.class);
  private static final long EVERY_MILLIS = 2000;
  private static final int TRIES = 5;
  private static final int MOST_LOGGED = 20;

  private final Vertx vertx;
  private final Context loop;
  private final ClusterPolicy policies;
  private final Path file;
  private volatile boolean isUnreadable;
  private volatile boolean isRefused;
  private String seen = "";
  private boolean isLooking;

  PolicyFileWatch(Vertx vertx, ClusterPolicy policies, Path file) {
    this.vertx = vertx;
    this.loop = vertx.getOrCreateContext();
    this.policies = policies;
    this.file = file;
  }

  /** 1 while the file has no sound policy, else 0. */
  int refused() {
    return isUnreadable || isRefused ? 1 : 0;
  }

  /** Starts; ends with Vert.x. */
  void start() {
    loop.runOnContext(now -> look());
    loop.runOnContext(now -> vertx.setPeriodic(EVERY_MILLIS, due -> look()));
  }

  private void look() {
    if (isLooking) {
      return;
    }
    isLooking = true;
    Future<Void> unused = vertx
        .executeBlocking(() -> PolicyDocuments.text(file), false)
        .onComplete(read -> isUnreadable = read.failed())
        .compose(text -> text.equals(seen)
            ? Future.<Void>succeededFuture()
            : changed(text, TRIES).onFailure(error -> isRefused = true))
        .onFailure(this::failed)
        .onComplete(done -> isLooking = false);
  }

  private Future<Void> changed(String text, int tries) {
    return Future.fromCompletionStage(policies.reload(0), loop).compose(reloaded -> {
      InForce inForce = policies.inForce();
      if (text.equals(inForce.text())) {
        return taken(text);
      }
      Edit edit = new Edit("file", "a change of the file");
      return Future.fromCompletionStage(
              policies.publish(file.toString(), text, OptionalLong.of(inForce.revision()), edit),
              loop)
          .onSuccess(publication -> LOG.info(
              "policy revision {} was published from the file {}", publication.revision(), file))
          .compose(publication -> taken(text))
          // Another node watches the same file, or an operator was faster.
          .recover(error -> Failures.cause(error) instanceof ChangedException && tries > 1
              ? changed(text, tries - 1)
              : refusedText(error, text));
    });
  }

  private Future<Void> taken(String text) {
    seen = text;
    if (isRefused) {
      isRefused = false;
      LOG.info("the policy in the file {} is sound again", file);
    }
    return Future.succeededFuture();
  }

  // Told once for each text.
  private Future<Void> refusedText(Throwable error, String text) {
    if (Failures.cause(error) instanceof InvalidPolicyException) {
      seen = text;
    }
    return Future.failedFuture(error);
  }

  private void failed(Throwable error) {
    Throwable cause = Failures.cause(error);
    LOG.error(
        "the policy in the file {} is not in force; revision {} stays: {}",
        file,
        policies.current().revision(),
        cause instanceof InvalidPolicyException invalid
            ? invalid.problems().stream()
                .limit(MOST_LOGGED)
                .map(Problem::toString)
                .collect(Collectors.joining("; "))
            : cause.toString());
  }
}
