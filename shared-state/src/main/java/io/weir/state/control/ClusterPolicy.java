package io.weir.state.control;

import io.weir.policy.InvalidPolicyException;
import io.weir.policy.PolicyReading;
import io.weir.policy.PolicyRevision;
import io.weir.state.document.PolicyDocuments;
import io.weir.state.redis.Faults;
import io.weir.state.redis.RedisAddress;
import io.weir.throttle.PolicySource;
import io.weir.throttle.StoreFault;
import io.weir.throttle.StoreUnavailableException;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The policy that is in force for all nodes of a cluster: kept in Redis, changed by one atomic step,
 * announced to every node. Every node has read a policy before it is in force, so that no request waits for that.
 * Mutable; safe for use by many threads; owned by the code that opened it.
 *
 * <p>A node that misses a notice finds the change at the next look, once a second, or earlier, when the
 * store answers that its revision is stale.
 */
public final class ClusterPolicy implements PolicySource, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterPolicy.class);
  private static final long LOOK_EVERY_MILLIS = 1000;
  private static final int MAX_PUBLISH_ATTEMPTS = 5;
  // Requests wait for it after a change of policy; no longer than callers of Redis ever should.
  private static final long RELOAD_TIMEOUT_MILLIS = 1000;
  private static final Duration READY_WITHIN = Duration.ofSeconds(3);

  private final PolicyHash stored;
  // Parsing a long policy takes longer than an event loop may be held.
  private final ScheduledExecutorService executor =
      Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "weir-policy");
        thread.setDaemon(true);
        return thread;
      });
  private final AtomicReference<@Nullable Document> current = new AtomicReference<>();
  private final AtomicReference<@Nullable CompletableFuture<PolicyRevision>> loading =
      new AtomicReference<>();
  private final String node = UUID.randomUUID().toString();
  private final Membership membership;
  private final LostPolicy lost = new LostPolicy();
  private final NextPolicy upcoming = new NextPolicy();
  private final Map<String, Readiness> proposed = new ConcurrentHashMap<>();
  private final AtomicBoolean unreadable = new AtomicBoolean();
  private @Nullable ScheduledFuture<?> looking;

  private ClusterPolicy(PolicyHash stored) {
    this.stored = stored;
    this.membership = stored.membership(node);
  }

  /**
   * Connects and takes over the policy in force; where there is none, publishes {@code seed}.
   *
   * @param uri see {@link RedisAddress#parse}
   * @param name what the seed is called in messages
   * @throws InvalidPolicyException where the policy that counts is refused
   * @throws StoreUnavailableException where Redis does not answer
   */
  public static ClusterPolicy open(String uri, String name, String seed) {
    ClusterPolicy policy = new ClusterPolicy(PolicyHash.connect(RedisAddress.parse(uri), false));
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

  /** How many nodes were alive, this one among them, when they were last counted. */
  public int liveNodes() {
    return membership.alive();
  }

  @Override
  public CompletionStage<PolicyRevision> reload(long seenRevision) {
    lost.seen(seenRevision);
    CompletableFuture<PolicyRevision> mine = new CompletableFuture<>();
    CompletableFuture<PolicyRevision> running = loading.compareAndExchange(null, mine);
    if (running == null) {
      try {
        executor.execute(() -> load(mine));
      } catch (RejectedExecutionException e) {
        finish(mine, e); // closed
      }
    }
    return bounded(running == null ? mine : running);
  }

  /**
   * Whether another policy than {@link #current} may be in force by now, or at any moment: what this node knows
   * by its own is no answer then.
   */
  public boolean isChanging() {
    return upcoming.isAwaited();
  }

  /**
   * Puts another policy in force, from one moment on for every node, once every node has read it or three seconds
   * have passed.
   *
   * @param name what it is called in messages
   * @param expected the revision that must be in force until then; empty for any
   * @return completes with what is in force and the warnings; exceptionally with {@link InvalidPolicyException} or
   *     {@link ChangedException}, and then nothing has changed, or {@link StoreUnavailableException}
   */
  public CompletionStage<Publication> publish(String name, String text, OptionalLong expected) {
    // Read beside the executor: a long policy must not keep a reload waiting.
    return CompletableFuture.supplyAsync(() -> PolicyDocuments.parse(name, text))
        .thenComposeAsync(reading -> propose(name, text, reading, expected), executor)
        .thenApplyAsync(reading -> publishNow(name, text, reading, expected), executor);
  }

  @Override
  public void close() {
    if (looking != null) {
      looking.cancel(true);
    }
    executor.shutdownNow();
    membership.leave();
    stored.close();
  }

  private void start(String name, String seed) {
    if (stored.stamp().revision() == 0) {
      PolicyReading reading = PolicyDocuments.parse(name, seed);
      // Where another node was faster, its policy counts.
      stored.replace(0, PolicyText.of(1, name, seed, reading.policy()));
    }
    take(Document.parse(stored.read()));
    membership.beat();
    stored.onNotice(this::hear);
    looking = executor.scheduleWithFixedDelay(
        this::beatAndLook, LOOK_EVERY_MILLIS, LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void hear(Notice notice) {
    switch (notice.kind()) {
      case PROPOSED -> {
        if (!executor.isShutdown()) {
          executor.execute(() -> prepare(notice.what()));
        }
      }
      case READY -> {
        String[] proposalAndNode = notice.what().split(" ", 2);
        Readiness waiting = proposed.get(proposalAndNode[0]);
        if (waiting != null && proposalAndNode.length == 2) {
          waiting.isReady(proposalAndNode[1]);
        }
      }
      case IN_FORCE -> look();
    }
  }

  private CompletionStage<PolicyReading> propose(
      String name, String text, PolicyReading reading, OptionalLong expected) {
    requireRevision(expected, stored.stamp().revision());
    String id = UUID.randomUUID().toString();
    Readiness readiness = new Readiness();
    PolicyText next = PolicyText.of(0, name, text, reading.policy());
    stored.lay(id, next);
    proposed.put(id, readiness);
    upcoming.await(reading.policy(), next);
    try {
      readiness.told(stored.tell(new Notice(Notice.Kind.PROPOSED, id)));
    } catch (StoreUnavailableException e) {
      proposed.remove(id);
      upcoming.forget(next.digest());
      throw e;
    }
    return readiness
        .within(READY_WITHIN)
        .thenApplyAsync(
            all -> {
              if (!all) {
                LOG.warn(
                    "not every node has read the next policy within {}; it is in force all the same",
                    READY_WITHIN);
              }
              proposed.remove(id);
              stored.removeLaid(id);
              return reading;
            },
            executor);
  }

  // The proposer waits for this node, even if the policy cannot be read here.
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

  private Publication publishNow(
      String name, String text, PolicyReading reading, OptionalLong expected) {
    for (int attempt = 0; attempt < MAX_PUBLISH_ATTEMPTS; attempt++) {
      long inRedis = stored.stamp().revision();
      requireRevision(expected, inRedis);
      long next = Math.max(inRedis, current().revision()) + 1;
      PolicyText published = PolicyText.of(next, name, text, reading.policy());
      if (stored.replace(inRedis, published) || isInForce(published)) {
        take(new Document(new PolicyRevision(next, reading.policy()), published));
        raiseCopies(next);
        return new Publication(next, reading.warnings());
      }
    }
    throw new StoreUnavailableException(
        StoreFault.SLOW, "too many others publish a policy at this moment", null);
  }

  // A master may be lost at this moment: its successor is told.
  private void raiseCopies(long revision) {
    for (int attempt = 1; ; attempt++) {
      try {
        stored.raiseCopies(revision);
        return;
      } catch (StoreUnavailableException e) {
        if (attempt == MAX_PUBLISH_ATTEMPTS) {
          throw new StoreUnavailableException(
              e.fault(),
              "revision %d is in force, and a part of Redis could not be told: %s"
                  .formatted(revision, e.getMessage()),
              e);
        }
      }
    }
  }

  // An answer may be lost, and the same asked again: then it was this one that was faster.
  private boolean isInForce(PolicyText published) {
    PolicyText stamp = stored.stamp();
    return stamp.revision() == published.revision() && stamp.digest().equals(published.digest());
  }

  private static void requireRevision(OptionalLong expected, long inForce) {
    if (expected.isPresent() && expected.getAsLong() != inForce) {
      throw new ChangedException();
    }
  }

  private void beatAndLook() {
    membership.beat();
    look();
  }

  private void look() {
    reload(0).whenComplete((policy, error) -> {
      // Said once, not each second.
      if (error != null && unreadable.compareAndSet(false, true)) {
        LOG.warn(
            "the policy in force cannot be read, until it can be again: {}", error.getMessage());
      } else if (error == null && unreadable.compareAndSet(true, false)) {
        LOG.info("the policy in force is read again");
      }
    });
  }

  private void load(CompletableFuture<PolicyRevision> result) {
    try {
      settle(stored.stamp());
      finish(result, null);
    } catch (Throwable e) { // of any kind: callers wait for the result
      finish(result, e);
    }
  }

  // The newest revision counts. Redis may have lost what was published: then the newest that a node
  // knows goes back. Two policies of one revision, made on both sides of a loss, make a third.
  private void settle(PolicyText stamp) {
    PolicyText known = document().text();
    if (stamp.revision() > known.revision()) {
      take(upcoming
          .of(stamp.digest())
          .map(next -> Document.of(next, stamp.revision()))
          .orElseGet(() -> Document.parse(stored.read())));
    } else if (stamp.revision() < known.revision()) {
      stored.replace(stamp.revision(), known);
    } else if (!stamp.digest().equals(known.digest())) {
      stored.replace(stamp.revision(), stored.read().withRevision(stamp.revision() + 1));
      take(Document.parse(stored.read()));
    }
    long newest = document().text().revision();
    lost.newerThan(newest).ifPresent(above -> raise(newest, above));
  }

  // Puts the newest policy that anybody knows above one that has decided and is lost.
  private void raise(long newest, long above) {
    LOG.warn(
        "a policy above revision {} has decided and is lost; revision {} is in force as {}",
        newest,
        newest,
        above);
    stored.replace(newest, document().text().withRevision(above));
    take(Document.parse(stored.read()));
  }

  private void finish(CompletableFuture<PolicyRevision> result, @Nullable Throwable error) {
    loading.compareAndSet(result, null);
    if (error == null) {
      result.complete(current());
    } else {
      result.completeExceptionally(new StoreUnavailableException(
          Faults.of(error), "the policy in force: " + error.getMessage(), error));
    }
  }

  private static CompletionStage<PolicyRevision> bounded(
      CompletableFuture<PolicyRevision> loading) {
    return loading
        .copy()
        .orTimeout(RELOAD_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
        .exceptionallyCompose(error -> CompletableFuture.failedFuture(
            error instanceof TimeoutException
                ? new StoreUnavailableException(
                    StoreFault.SLOW, "the policy in force could not be read in time", error)
                : error));
  }

  private void take(Document document) {
    long revision = document.policy().revision();
    Document before = current.getAndUpdate(
        known -> known != null && known.policy().revision() >= revision ? known : document);
    if (before == null || before.policy().revision() < revision) {
      LOG.info("policy revision {} is in force", revision);
    }
    upcoming.forget(document.text().digest());
  }

  private Document document() {
    Document document = current.get();
    if (document == null) {
      throw new IllegalStateException("used before it was started");
    }
    return document;
  }
}
