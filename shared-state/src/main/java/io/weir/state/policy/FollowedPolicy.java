package io.weir.state.policy;

import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.policy.PolicyRevision;
import io.weir.core.throttle.PolicySource;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.connection.RedisConnections;
import io.weir.state.wire.RedisKeys;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The policy in force, as nodes and programs that decide by themselves follow it: it reads a change as soon as it is
 * notified, at the latest within a second, or earlier, when the store answers that its revision is stale. Only one that
 * counts as a node puts a lost policy back. Mutable; safe for use by many threads; owned by the code that opened it.
 */
public final class FollowedPolicy implements PolicySource, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FollowedPolicy.class);
  private static final long LOOK_EVERY_MILLIS = 1000;

  private final PolicyHash stored;
  private final KnownPolicy known;
  private final Loads loads;
  private final @Nullable Membership membership;
  private final Notices notices;
  private final LongConsumer listener;
  // Parsing a long policy takes longer than an event loop may be held.
  private final ScheduledExecutorService executor =
      Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "weir-policy");
        thread.setDaemon(true);
        return thread;
      });
  private final AtomicBoolean unreadable = new AtomicBoolean();
  private volatile int nodes = 1;
  private volatile long reported;
  private boolean isSubscribed;

  /**
   * How a policy is followed.
   *
   * @param name of the first policy in messages
   * @param first is put in force if no policy is
   * @param copy a file in which the policy in force is kept, so that a process can start while Redis is away
   * @param isNode whether the process counts as a node: then it has a share of the limits while Redis is away
   * @param listener is passed each revision that is in force from then on
   */
  public record Following(
      String name,
      Optional<String> first,
      Optional<Path> copy,
      boolean isNode,
      LongConsumer listener) {}

  /** How a follower is notified of changes. */
  interface Notices {
    /** Subscribes {@link FollowedPolicy#look}; called again, once a second, until it returns true. */
    boolean subscribe(FollowedPolicy follower);
  }

  FollowedPolicy(
      PolicyHash stored, NextPolicy upcoming, String name, Following how, Notices notices) {
    this.stored = stored;
    this.known = new KnownPolicy(stored, upcoming, new PolicyCopy(how.copy()), how.isNode());
    this.loads = new Loads(executor, this::load);
    this.membership = how.isNode() ? stored.membership(name) : null;
    this.notices = notices;
    this.listener = how.listener();
  }

  /**
   * Takes over the policy in force.
   *
   * @param redis stay their owner's, and must outlive this
   * @throws NoPolicyException if no policy is in force, and none was given
   * @throws InvalidPolicyException if the policy is invalid
   * @throws StoreUnavailableException if Redis does not answer, and no policy is kept
   */
  public static FollowedPolicy open(RedisConnections redis, Following how) {
    FollowedPolicy policy = new FollowedPolicy(
        new PolicyHash(redis),
        new NextPolicy(),
        UUID.randomUUID().toString(),
        how,
        new ChannelNotices(redis));
    try {
      policy.start(how);
      return policy;
    } catch (RuntimeException e) {
      policy.close();
      throw e;
    }
  }

  /** Takes over the policy in force, and follows it from then on. */
  void start(Following how) {
    try {
      known.takeOver(how.name(), how.first());
      subscribe();
    } catch (StoreUnavailableException e) {
      known.takeKept(e);
    }
    reported = current().revision();
    if (membership != null) {
      membership.start();
    }
    count();
    ScheduledFuture<?> unused = executor.scheduleWithFixedDelay(
        this::look, LOOK_EVERY_MILLIS, LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void subscribe() {
    isSubscribed = isSubscribed || notices.subscribe(this);
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
  Document document() {
    return known.document();
  }

  /** Puts a newer policy in place of the one in force. */
  void take(Document document) {
    known.take(document);
  }

  /** Runs what waits for Redis, one task at a time. */
  ExecutorService executor() {
    return executor;
  }

  /** The number of live nodes at the last count, at least 1. */
  public int liveNodes() {
    return membership != null ? membership.alive() : nodes;
  }

  @Override
  public CompletionStage<PolicyRevision> reload(long seenRevision) {
    known.seen(seenRevision);
    return loads.next();
  }

  private PolicyRevision load() {
    known.settle();
    subscribe();
    PolicyRevision now = current();
    if (now.revision() != reported) {
      reported = now.revision();
      report(now.revision());
    }
    return now;
  }

  // A listener that fails must not keep a policy from being in force.
  private void report(long revision) {
    try {
      listener.accept(revision);
    } catch (Throwable e) { // of any kind
      LOG.warn("a listener failed", e);
    }
  }

  /** Compares with the stored policy, and takes a newer one over. */
  void look() {
    count();
    CompletionStage<PolicyRevision> unused = reload(0).whenComplete((policy, error) -> {
      // Logged once, not each second.
      if (error != null && unreadable.compareAndSet(false, true)) {
        LOG.warn(
            "the policy in force cannot be read, until it can be again: {}", error.getMessage());
      } else if (error == null && unreadable.compareAndSet(true, false)) {
        LOG.info("the policy in force is read again");
      }
    });
  }

  private void count() {
    if (membership == null) {
      CompletionStage<Long> unused = stored.nodes().whenComplete((counted, error) -> {
        if (error == null) {
          nodes = Math.max(1, counted.intValue());
        }
      });
    }
  }

  @Override
  public void close() {
    executor.shutdownNow();
    if (membership != null) {
      membership.close();
    }
  }

  /** The channel for programs. Without it, changes are found by looking. Mutable; owned by one follower. */
  private static final class ChannelNotices implements Notices {
    private final RedisConnections redis;
    private boolean hasFailed;

    ChannelNotices(RedisConnections redis) {
      this.redis = redis;
    }

    @Override
    public boolean subscribe(FollowedPolicy follower) {
      try {
        redis.links().get(0).listen(RedisKeys.POLICY_IN_FORCE, revision -> follower.look());
        return true;
      } catch (StoreUnavailableException e) {
        if (!hasFailed) {
          LOG.warn("changes of the policy are not heard, only looked for: {}", e.getMessage());
        }
        hasFailed = true;
        return false;
      }
    }
  }
}
