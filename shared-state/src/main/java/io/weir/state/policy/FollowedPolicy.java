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
 * The policy in force, as a program follows it that decides by itself and is no node: it reads changes as soon as it
 * hears of them, at the latest within a second, and nobody who publishes waits for it. Only one that counts as a node
 * puts a lost policy back. Mutable; safe for use by many
 * threads; owned by the code that opened it.
 */
public final class FollowedPolicy implements PolicySource, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FollowedPolicy.class);
  private static final long LOOK_EVERY_MILLIS = 1000;

  private final RedisConnections redis;
  private final FollowedHash stored;
  private final KnownPolicy known;
  private final Loads loads;
  private final @Nullable Membership membership;
  private final Heartbeat heartbeat = new Heartbeat();
  private final LongConsumer listener;
  private final ScheduledExecutorService executor =
      Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "weir-policy");
        thread.setDaemon(true);
        return thread;
      });
  private final AtomicBoolean unreadable = new AtomicBoolean();
  private volatile int nodes = 1;
  private volatile long told;
  private boolean isHearing;
  private boolean isDeaf;

  /**
   * How a policy is followed.
   *
   * @param name of the first policy in messages
   * @param first is put in force if no policy is
   * @param copy a file in which the policy in force is kept, so that a program can start while Redis is away
   * @param isNode whether the program counts as a node: then it has a share of the limits while Redis is away
   * @param listener is passed each revision that counts from then on
   */
  public record Following(
      String name,
      Optional<String> first,
      Optional<Path> copy,
      boolean isNode,
      LongConsumer listener) {}

  private FollowedPolicy(RedisConnections redis, Following how) {
    this.redis = redis;
    this.stored = new FollowedHash(redis);
    this.known =
        new KnownPolicy(stored, new NextPolicy(), new PolicyCopy(how.copy()), how.isNode());
    this.loads = new Loads(executor, this::load);
    this.membership = how.isNode() ? stored.membership(UUID.randomUUID().toString()) : null;
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
    FollowedPolicy policy = new FollowedPolicy(redis, how);
    try {
      policy.start(how);
      return policy;
    } catch (RuntimeException e) {
      policy.close();
      throw e;
    }
  }

  private void start(Following how) {
    try {
      known.takeOver(how.name(), how.first());
      hear();
    } catch (StoreUnavailableException e) {
      known.takeKept(e);
    }
    told = current().revision();
    if (membership != null) {
      membership.beat();
      heartbeat.start(membership);
    }
    count();
    ScheduledFuture<?> unused = executor.scheduleWithFixedDelay(
        this::look, LOOK_EVERY_MILLIS, LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS);
  }

  // Without it, changes are found by looking.
  private void hear() {
    if (isHearing) {
      return;
    }
    try {
      redis.links().get(0).listen(RedisKeys.POLICY_IN_FORCE, revision -> look());
      isHearing = true;
      isDeaf = false;
    } catch (StoreUnavailableException e) {
      if (!isDeaf) {
        LOG.warn("changes of the policy are not heard, only looked for: {}", e.getMessage());
      }
      isDeaf = true;
    }
  }

  @Override
  public PolicyRevision current() {
    return known.document().policy();
  }

  /** The text of the policy in force. */
  public String text() {
    return known.document().text().text();
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
    hear();
    PolicyRevision now = current();
    if (now.revision() != told) {
      told = now.revision();
      tell(now.revision());
    }
    return now;
  }

  // A listener that fails must not keep a policy from counting.
  private void tell(long revision) {
    try {
      listener.accept(revision);
    } catch (Throwable e) { // of any kind
      LOG.warn("a listener failed", e);
    }
  }

  private void look() {
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
    heartbeat.close();
    executor.shutdownNow();
    if (membership != null) {
      membership.leave();
    }
  }
}
