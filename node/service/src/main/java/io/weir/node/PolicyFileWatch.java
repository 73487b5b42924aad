package io.weir.node;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.policy.Policy;
import io.weir.core.policy.schema.Problem;
import io.weir.core.throttle.Failures;
import io.weir.node.admin.StrandedRecords;
import io.weir.node.admin.Stranding;
import io.weir.node.admin.WatchedFile;
import io.weir.node.config.NodeConfig;
import io.weir.node.metrics.NodeMetrics;
import io.weir.state.document.PolicyDocuments;
import io.weir.state.policy.ChangedException;
import io.weir.state.policy.ClusterPolicy;
import io.weir.state.policy.Edit;
import io.weir.state.policy.InForce;
import io.weir.state.policy.Publication;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes the policy of a file whenever its text changes, such as a mounted ConfigMap's. A text that is refused leaves
 * the policy in force, and is logged and shown as a metric until it is mended; so is a policy that an operator puts in
 * force beside the file. It looks by time: a mounted file is replaced by a link, of which systems tell in different ways.
 */
final class PolicyFileWatch implements WatchedFile {
  private static final Logger LOG = LoggerFactory.getLogger(PolicyFileWatch.class);
  private static final Duration EVERY = Duration.ofSeconds(2);
  private static final int TRIES = 5;
  private static final int MOST_LOGGED = 20;

  private final Vertx vertx;
  private final Context loop;
  private final ClusterPolicy policies;
  private final Path file;
  private final Stranding stranding;
  private final Duration every;
  private volatile boolean isUnreadable;
  private volatile boolean isRefused;
  private volatile String seen = "";
  private Future<Void> looking = Future.succeededFuture();
  private boolean hasLoggedOther;

  /** @param every how often it looks at the file */
  PolicyFileWatch(
      Vertx vertx, ClusterPolicy policies, Path file, Stranding stranding, Duration every) {
    this.vertx = vertx;
    this.loop = vertx.getOrCreateContext();
    this.policies = policies;
    this.file = file;
    this.stranding = stranding;
    this.every = every;
  }

  /** The watch of a node, if it follows its policy file. */
  static Optional<PolicyFileWatch> of(
      NodeConfig config, Vertx vertx, ClusterPolicy policies, Stranding stranding) {
    return config.policy().isWatched()
        ? Optional.of(
            new PolicyFileWatch(vertx, policies, config.policy().file(), stranding, EVERY))
        : Optional.empty();
  }

  /** 1 while the file has no sound policy, else 0. */
  int refused() {
    return isUnreadable || isRefused ? 1 : 0;
  }

  /** 1 while another policy is in force than that of the file, for whatever reason, else 0. */
  int differing() {
    Optional<State> state = beside(policies.text());
    return state.isEmpty() || state.get() == State.IN_FORCE ? 0 : 1;
  }

  @Override
  public Optional<State> beside(String inForce) {
    if (refused() == 1) {
      return Optional.of(State.REFUSED);
    }
    String file = seen;
    return file.isEmpty()
        ? Optional.empty()
        : Optional.of(PolicyDocuments.areSame(file, inForce) ? State.IN_FORCE : State.DIFFERS);
  }

  /** Starts, and shows its state as metrics; ends with Vert.x. */
  void start(NodeMetrics metrics) {
    metrics.policyFile(this::refused, this::differing);
    start();
  }

  /** Starts; ends with Vert.x. */
  void start() {
    loop.runOnContext(now -> lookOnLoop());
    loop.runOnContext(now -> vertx.setPeriodic(every.toMillis(), due -> lookOnLoop()));
  }

  /** Looks at the file, or waits for the look that is under way; the future ends with it. */
  Future<Void> look() {
    Promise<Void> looked = Promise.promise();
    loop.runOnContext(now -> lookOnLoop().onComplete(looked));
    return looked.future();
  }

  private Future<Void> lookOnLoop() {
    if (looking.isComplete()) {
      looking = onWorker(() -> PolicyDocuments.text(file))
          .onComplete(read -> isUnreadable = read.failed() && !isClosing(read.cause()))
          .compose(this::compare)
          .recover(
              error -> isClosing(error) ? Future.succeededFuture() : Future.failedFuture(error))
          .onFailure(this::failed);
    }
    return looking;
  }

  private <T> Future<T> onWorker(Callable<T> work) {
    try {
      return vertx.executeBlocking(work, false);
    } catch (RejectedExecutionException e) {
      return Future.failedFuture(e);
    }
  }

  // Vert.x closes its workers before its loops: a look that is due meanwhile is left.
  private static boolean isClosing(Throwable error) {
    return error instanceof RejectedExecutionException;
  }

  private Future<Void> compare(String text) {
    InForce inForce = policies.inForce();
    if (PolicyDocuments.areSame(text, inForce.text())) {
      return taken(text);
    }
    if (text.equals(seen)) {
      logOther(inForce.revision());
      return Future.succeededFuture();
    }
    return changed(text, TRIES).onFailure(error -> isRefused = !isClosing(error));
  }

  private Future<Void> changed(String text, int tries) {
    return Future.fromCompletionStage(policies.reload(0), loop).compose(reloaded -> {
      InForce inForce = policies.inForce();
      if (PolicyDocuments.areSame(text, inForce.text())) {
        return taken(text);
      }
      return unstranded(text)
          .compose(sound -> published(text, inForce.revision()))
          .compose(publication -> taken(text))
          // Another node watches the same file, or an operator was faster.
          .recover(error -> Failures.cause(error) instanceof ChangedException && tries > 1
              ? changed(text, tries - 1)
              : refusedText(error, text));
    });
  }

  // As for operators: stored keys must not lose limits unless somebody wants that.
  private Future<Void> unstranded(String text) {
    return onWorker(() -> PolicyDocuments.parse(file.toString(), text).policy())
        .compose(this::stranded)
        .compose(stranded -> stranded.isEmpty()
            ? Future.succeededFuture()
            : Future.failedFuture(new StrandedException(stranded)));
  }

  private Future<StrandedRecords> stranded(Policy candidate) {
    return stranding.ofChange(policies.current().policy(), candidate);
  }

  private Future<Publication> published(String text, long expected) {
    Edit edit = new Edit("file", "a change of the file");
    return Future.fromCompletionStage(
            policies.publish(file.toString(), text, OptionalLong.of(expected), edit), loop)
        .onSuccess(publication -> LOG.info(
            "policy revision {} was published from the file {}", publication.revision(), file));
  }

  private Future<Void> taken(String text) {
    seen = text;
    if (isRefused || hasLoggedOther) {
      isRefused = false;
      hasLoggedOther = false;
      LOG.info("the policy in the file {} is in force", file);
    }
    return Future.succeededFuture();
  }

  // Logged once; a text that is refused has its own line.
  private void logOther(long revision) {
    if (!isRefused && !hasLoggedOther) {
      hasLoggedOther = true;
      LOG.warn(
          "the policy in force, revision {}, is not the one in the file {}; it stays until the file changes",
          revision,
          file);
    }
  }

  // Told once for each text.
  private Future<Void> refusedText(Throwable error, String text) {
    Throwable cause = Failures.cause(error);
    if (cause instanceof InvalidPolicyException || cause instanceof StrandedException) {
      seen = text;
    }
    return Future.failedFuture(error);
  }

  private void failed(Throwable error) {
    LOG.error(
        "the policy in the file {} is not in force; revision {} stays: {}",
        file,
        policies.current().revision(),
        reason(Failures.cause(error)));
  }

  private String reason(Throwable cause) {
    if (cause instanceof InvalidPolicyException invalid) {
      return invalid.problems().stream()
          .limit(MOST_LOGGED)
          .map(Problem::toString)
          .collect(Collectors.joining("; "));
    }
    return cause instanceof StrandedException stranded
        ? "%s; 'weir policy apply --force %s' puts it in force anyway"
            .formatted(String.join("; ", stranded.records.lines()), file)
        : cause.toString();
  }

  /** The text would leave stored keys without limits. */
  private static final class StrandedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient StrandedRecords records;

    StrandedException(StrandedRecords records) {
      super("records would be stranded", null, false, false);
      this.records = records;
    }
  }
}
