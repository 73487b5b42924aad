package io.weir.state.policy;

import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.policy.PolicyRevision;
import io.weir.core.throttle.PolicySource;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.connection.RedisAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The policy in force for all nodes of a cluster: kept in Redis, changed by one atomic step, announced to every node.
 * Every node reads a policy before it is in force, unless that takes longer than 3 s, so that no request waits for it.
 * Mutable; safe for use by many threads; owned by the code that opened it.
 *
 * <p>A node that misses a notice finds the change at its next look, once a second, or earlier, when the store answers
 * that its revision is stale.
 */
public final class ClusterPolicy implements PolicySource, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterPolicy.class);
  private static final long LOOK_EVERY_MILLIS = 1000;

  private final PolicyHash stored;
  // Parsing a long policy takes longer than an event loop may be held.
  private final ScheduledExecutorService executor =
      Executors.newSingleThreadScheduledExecutor(task -> daemon(task, "weir-policy"));
  // Operators who read earlier policies must not keep a reload waiting.
  private final ExecutorService readers =
      Executors.newSingleThreadExecutor(task -> daemon(task, "weir-policy-history"));
  private final Loads loads = new Loads(executor, this::load);
  private final String node = UUID.randomUUID().toString();
  private final Membership membership;
  private final NodeQuestions questions;
  private final NextPolicy upcoming = new NextPolicy();
  private final PolicyPublisher publisher;
  private final AtomicBoolean unreadable = new AtomicBoolean();
  private final Heartbeat heartbeat = new Heartbeat();
  private final KnownPolicy known;
  private boolean isHearing;

  private ClusterPolicy(PolicyHash stored, PolicyCopy copy) {
    this.stored = stored;
    this.known = new KnownPolicy(stored, upcoming, copy, true);
    this.publisher = new PolicyPublisher(stored, upcoming, executor, known::document, known::take);
    this.membership = stored.membership(node);
    this.questions = stored.questions(node);
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Connects and takes over the policy in force; if there is none, publishes {@code seed}.
   *
   * @param uri see {@link RedisAddress#parse}
   * @param name the name of the seed in messages
   * @throws InvalidPolicyException if the policy in force is invalid
   * @throws StoreUnavailableException if Redis does not answer
   */
  public static ClusterPolicy open(String uri, String name, String seed) {
    return open(uri, name, seed, Optional.empty());
  }

  /**
   * The same with a file in which the policy in force is kept: while Redis is away, the kept policy is used.
   *
   * @param file may not exist yet; written by this node alone
   * @throws StoreUnavailableException if Redis does not answer, and no policy is kept
   */
  public static ClusterPolicy open(String uri, String name, String seed, Optional<Path> file) {
    PolicyCopy copy = new PolicyCopy(file);
    boolean isLater = copy.read().isPresent();
    ClusterPolicy policy =
        new ClusterPolicy(PolicyHash.connect(RedisAddress.parse(uri), isLater), copy);
    try {
      policy.start(name, seed);
      return policy;
    } catch (RuntimeException e) {
      policy.close();
      throw e;
    }
  }

  @Override
  public PolicyRevision current() {
    return document().policy();
  }

  /** The text of the policy in force. */
  public String text() {
    return document().text().text();
  }

  /** The policy in force with its text, as of one moment. */
  public InForce inForce() {
    Document document = document();
    return new InForce(document.policy().revision(), document.text().text());
  }

  /** The times to drain its buckets from full, for {@link io.weir.state.inspect.StateInspector}. */
  public String bursts() {
    return document().text().bursts();
  }

  /** Asks the other nodes of the cluster. */
  public NodeQuestions questions() {
    return questions;
  }

  /** The number of live nodes at the last count, including this one. */
  public int liveNodes() {
    return membership.alive();
  }

  @Override
  public CompletionStage<PolicyRevision> reload(long seenRevision) {
    known.seen(seenRevision);
    return loads.next();
  }

  /**
   * Whether another policy than {@link #current} may be in force now or at any moment: a decision from this node's own
   * knowledge is not valid then.
   */
  public boolean isChanging() {
    return upcoming.isAwaited();
  }

  /**
   * Puts another policy in force, at one moment for every node, as soon as every node has read it or three seconds have
   * passed.
   *
   * @param name the name of the policy in messages
   * @param expected the revision that must be in force until then; empty for any
   * @param edit who publishes it
   * @return completes with the policy in force and the warnings; exceptionally with {@link InvalidPolicyException} or
   *     {@link ChangedException}, and then nothing has changed, or {@link StoreUnavailableException}
   */
  public CompletionStage<Publication> publish(
      String name, String text, OptionalLong expected, Edit edit) {
    return publisher.publish(name, text, expected, edit);
  }

  /** The revisions that are kept, the newest first; fails with {@link StoreUnavailableException}. */
  public CompletionStage<List<PastRevision>> history() {
    return CompletableFuture.supplyAsync(stored::history, readers);
  }

  /** The document of a revision; empty if it is not kept. Fails with {@link StoreUnavailableException}. */
  public CompletionStage<Optional<String>> text(long revision) {
    return revision == current().revision()
        ? CompletableFuture.completedFuture(Optional.of(text()))
        : CompletableFuture.supplyAsync(() -> stored.document(revision), readers);
  }

  @Override
  public void close() {
    heartbeat.close();
    executor.shutdownNow();
    readers.shutdownNow();
    membership.leave();
    stored.close();
  }

  private void start(String name, String seed) {
    try {
      known.takeOver(name, Optional.of(seed));
      membership.beat();
      hearNotices();
    } catch (StoreUnavailableException e) {
      known.takeKept(e);
    }
    heartbeat.start(membership);
    ScheduledFuture<?> unused = executor.scheduleWithFixedDelay(
        this::look, LOOK_EVERY_MILLIS, LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void hearNotices() {
    if (!isHearing) {
      stored.onQuestions(questions);
      stored.onNotice(this::hear);
      isHearing = true;
    }
  }

  private void hear(Notice notice) {
    switch (notice.kind()) {
      case PROPOSED -> {
        if (!executor.isShutdown()) {
          executor.execute(() -> prepare(notice.what()));
        }
      }
      case READY -> publisher.isReady(notice.what());
      case IN_FORCE -> look();
    }
  }

  // Reports READY even if this node cannot read the policy: the proposer waits for the report.
  private void prepare(String id) {
    try {
      stored.laid(id).ifPresent(upcoming::read);
    } catch (RuntimeException e) {
      LOG.warn("the next policy cannot be read: {}", e.getMessage());
    }
    try {
      stored.tell(new Notice(Notice.Kind.READY, id + " " + node));
    } catch (StoreUnavailableException e) {
      LOG.warn("the next policy was read, and nobody could be told: {}", e.getMessage());
    }
  }

  private void look() {
    reload(0).whenComplete((policy, error) -> {
      // Logged once, not each second.
      if (error != null && unreadable.compareAndSet(false, true)) {
        LOG.warn(
            "the policy in force cannot be read, until it can be again: {}", error.getMessage());
      } else if (error == null && unreadable.compareAndSet(true, false)) {
        LOG.info("the policy in force is read again");
      }
    });
  }

  private PolicyRevision load() {
    known.settle();
    hearNotices();
    return current();
  }

  private Document document() {
    return known.document();
  }
}
