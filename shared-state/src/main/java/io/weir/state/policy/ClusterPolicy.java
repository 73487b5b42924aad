package io.weir.state.policy;

import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.policy.PolicyRevision;
import io.weir.core.throttle.PolicySource;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.connection.RedisAddress;
import io.weir.state.connection.RedisConnections;
import io.weir.state.connection.RedisStart;
import io.weir.state.policy.FollowedPolicy.Following;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The policy in force for all nodes of a cluster: kept in Redis, {@linkplain FollowedPolicy followed} by every node,
 * changed by one atomic step. Every node reads a policy before it is in force, unless that takes longer than 3 s, so that
 * no request waits for it. Mutable; safe for use by many threads; owned by the code that opened it.
 */
public final class ClusterPolicy implements PolicySource, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterPolicy.class);
  // A long policy takes longer than a decision may.
  private static final Duration REDIS_TIMEOUT = Duration.ofSeconds(1);

  private final RedisConnections redis;
  private final PolicyHash stored;
  private final NodeTopics topics;
  private final String node;
  private final NextPolicy upcoming = new NextPolicy();
  private final FollowedPolicy followed;
  private final PolicyPublisher publisher;

  private ClusterPolicy(RedisConnections redis, NodeTopics topics, String node, Following how) {
    this.redis = redis;
    this.stored = new PolicyHash(redis);
    this.topics = topics;
    this.node = node;
    this.followed = new FollowedPolicy(stored, upcoming, node, how, this::subscribe);
    this.publisher = new PolicyPublisher(stored, topics, upcoming, followed);
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
    return open(uri, name, Optional.of(seed), Optional.empty());
  }

  /**
   * The same with a file in which the policy in force is kept: while Redis is away, the kept policy is used.
   *
   * @param seed may be empty if Redis has a policy
   * @param file may not exist yet; written by this node alone
   * @throws StoreUnavailableException if Redis does not answer, and no policy is kept
   * @throws NoPolicyException if no policy is in force, and none is given
   */
  public static ClusterPolicy open(
      String uri, String name, Optional<String> seed, Optional<Path> file) {
    RedisStart start = new RedisStart(uri, file);
    RedisConnections redis = start.open(REDIS_TIMEOUT);
    try {
      return open(start, redis, new Following(name, seed, file, true, revision -> {}));
    } catch (RuntimeException e) {
      redis.close();
      throw e;
    }
  }

  private static ClusterPolicy open(RedisStart start, RedisConnections redis, Following how) {
    String node = UUID.randomUUID().toString();
    NodeTopics topics =
        NodeTopics.connect(RedisAddress.parse(start.uri()), node, start.mayBeLater());
    ClusterPolicy policy = new ClusterPolicy(redis, topics, node, how);
    try {
      policy.followed.start(how);
      return policy;
    } catch (RuntimeException e) {
      policy.followed.close();
      topics.close();
      throw e;
    }
  }

  @Override
  public PolicyRevision current() {
    return followed.current();
  }

  /** The text of the policy in force. */
  public String text() {
    return followed.text();
  }

  /** The policy in force with its text, as of one moment. */
  public InForce inForce() {
    Document document = followed.document();
    return new InForce(document.policy().revision(), document.text().text());
  }

  /** The times to drain its buckets from full, for {@link io.weir.state.inspect.StateInspector}. */
  public String bursts() {
    return followed.document().text().bursts();
  }

  /** Asks the other nodes of the cluster. */
  public NodeQuestions questions() {
    return topics.questions();
  }

  /** The number of live nodes at the last count, including this one. */
  public int liveNodes() {
    return followed.liveNodes();
  }

  @Override
  public CompletionStage<PolicyRevision> reload(long seenRevision) {
    return followed.reload(seenRevision);
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
    return stored.history();
  }

  /** The document of a revision; empty if it is not kept. Fails with {@link StoreUnavailableException}. */
  public CompletionStage<Optional<String>> text(long revision) {
    return revision == current().revision()
        ? CompletableFuture.completedFuture(Optional.of(text()))
        : stored.document(revision);
  }

  @Override
  public void close() {
    followed.close();
    topics.close();
    redis.close();
  }

  // A node that is not subscribed is not waited for when a policy is published: it has to be.
  private boolean subscribe(FollowedPolicy follower) {
    topics.subscribe(notice -> {
      switch (notice.kind()) {
        case PROPOSED -> {
          if (!followed.executor().isShutdown()) {
            followed.executor().execute(() -> prepare(notice.what()));
          }
        }
        case READY -> publisher.isReady(notice.what());
        case IN_FORCE -> follower.look();
      }
    });
    return true;
  }

  // Reports READY even if this node cannot read the policy: the proposer waits for the report.
  private void prepare(String id) {
    try {
      stored.laid(id).ifPresent(upcoming::read);
    } catch (RuntimeException e) {
      LOG.warn("the next policy cannot be read: {}", e.getMessage());
    }
    try {
      topics.publish(new Notice(Notice.Type.READY, id + " " + node));
    } catch (StoreUnavailableException e) {
      LOG.warn("the next policy was read, and that could not be reported: {}", e.getMessage());
    }
  }
}
