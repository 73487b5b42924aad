package io.weir.state.policy;

import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.connection.Faults;
import io.weir.state.connection.RedisAddress;
import io.weir.state.connection.RedisAddress.Topology;
import io.weir.state.wire.LuaLibrary;
import io.weir.state.wire.LuaScript;
import io.weir.state.wire.Partition;
import io.weir.state.wire.RedisKeys;
import io.weir.state.wire.Statuses;
import io.weir.state.wire.Statuses.Publish;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.redisson.Redisson;
import org.redisson.api.RBucket;
import org.redisson.api.RMap;
import org.redisson.api.RScript;
import org.redisson.api.RTopic;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisConnectionException;
import org.redisson.client.RedisException;
import org.redisson.client.RedisTimeoutException;
import org.redisson.client.codec.StringCodec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The hash in Redis that holds the policy, and the channel for notices of changes. Every method waits for Redis, and
 * throws {@link StoreUnavailableException} if it does not answer. Mutable; owned by one {@link ClusterPolicy}.
 */
final class PolicyHash implements PolicyRecord, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PolicyHash.class);
  private static final int MAX_MESSAGE = 200;
  private static final Duration PROPOSAL_LASTS = Duration.ofMinutes(1);

  private final RedissonClient redisson;
  private final boolean isCluster;
  private final LuaScript publish = LuaLibrary.limiter(Map.of()).script("publish");
  private final LuaScript raise = LuaLibrary.limiter(Map.of()).script("raise");

  private PolicyHash(RedissonClient redisson, boolean isCluster) {
    this.redisson = redisson;
    this.isCluster = isCluster;
  }

  /** @param isLater whether Redis may be unreachable for now */
  static PolicyHash connect(RedisAddress address, boolean isLater) {
    return asking(() -> new PolicyHash(
        Redisson.create(RedissonSetup.config(address, isLater)),
        address.topology() == Topology.CLUSTER));
  }

  /** Whether parts of the shared state have copies of the revision. */
  boolean isCluster() {
    return isCluster;
  }

  /** The membership of this node, on the same connections. */
  Membership membership(String node) {
    return new Membership(
        node,
        (beat, arguments) -> redisson
            .getScript(StringCodec.INSTANCE)
            .evalAsync(
                RScript.Mode.READ_WRITE,
                beat.source(),
                RScript.ReturnType.LONG,
                List.of(RedisKeys.NODES),
                arguments.toArray()));
  }

  /** Questions of this node to all nodes, on the same connections. */
  NodeQuestions questions(String node) {
    return new NodeQuestions(redisson, node);
  }

  @Override
  public PolicyText stamp() {
    return asking(() -> PolicyText.of(map().getAll(PolicyText.STAMP)));
  }

  @Override
  public PolicyText read() {
    return asking(() -> PolicyText.of(map().getAll(PolicyText.FIELDS)));
  }

  @Override
  public boolean replace(long expected, PolicyText policy, Edit edit) {
    return asking(() -> {
      List<Long> reply = redisson
          .getScript(StringCodec.INSTANCE)
          .eval(
              RScript.Mode.READ_WRITE,
              publish.source(),
              RScript.ReturnType.LIST,
              List.of(RedisKeys.POLICY),
              policy.toStore(expected, edit).toArray());
      boolean published = Statuses.of(Publish.class, reply.get(0)) == Publish.PUBLISHED;
      if (published) {
        tellInForce(policy.revision());
      }
      return published;
    });
  }

  /** The revisions that are kept, the newest first. */
  List<PastRevision> history() {
    return asking(() -> {
      String listed = map().getOrDefault("revisions", "");
      List<String> revisions = listed.isEmpty() ? List.of() : List.of(listed.split(" "));
      Map<String, String> about =
          map().getAll(revisions.stream().map(PolicyHash::about).collect(Collectors.toSet()));
      return revisions.stream()
          .map(one -> PastRevision.of(one, about.getOrDefault(about(one), "")))
          .toList();
    });
  }

  private static String about(String listed) {
    return "about:" + listed.substring(0, listed.indexOf(':'));
  }

  /** The document of a revision before the present one; empty if it is not kept. */
  Optional<String> document(long revision) {
    return asking(() -> Optional.ofNullable(map().get("document:" + revision)));
  }

  /** Raises the copies of the revision, if there are any: from then on no part decides by an older one. */
  CompletionStage<Void> raiseCopies(long revision) {
    return isCluster
        ? CompletableFuture.allOf(Partition.all()
            .mapToObj(partition -> raised(partition, revision))
            .toArray(CompletableFuture[]::new))
        : CompletableFuture.completedFuture(null);
  }

  private CompletableFuture<Object> raised(int partition, long revision) {
    return redisson
        .getScript(StringCodec.INSTANCE)
        .evalAsync(
            RScript.Mode.READ_WRITE,
            raise.source(),
            RScript.ReturnType.LONG,
            List.of(RedisKeys.policyOf(partition)),
            Long.toString(revision))
        .toCompletableFuture();
  }

  // Nodes that miss the notice find the policy within a second.
  private void tellInForce(long revision) {
    try {
      tell(new Notice(Notice.Kind.IN_FORCE, Long.toString(revision)));
      asking(() -> redisson
          .getTopic(RedisKeys.POLICY_IN_FORCE, StringCodec.INSTANCE)
          .publish(Long.toString(revision)));
    } catch (StoreUnavailableException e) {
      LOG.warn("policy revision {} is in force, and the nodes could not be told", revision);
    }
  }

  /** Stores a proposal for all nodes to read, under its own name, for a limited time. */
  void lay(String proposal, PolicyText policy) {
    asking(() -> {
      proposal(proposal).set(policy.name() + "\n" + policy.text(), PROPOSAL_LASTS);
      return true;
    });
  }

  /** The proposal with this name, with the policy's name on the first line; empty if it is gone. */
  Optional<String> laid(String proposal) {
    return asking(() -> Optional.ofNullable(proposal(proposal).get()));
  }

  void removeLaid(String proposal) {
    asking(() -> proposal(proposal).delete());
  }

  /** Publishes a notice; returns the number of receivers, including this node. */
  long tell(Notice notice) {
    return asking(() -> notices().publish(notice.text()));
  }

  /** Passes every notice to {@code listener}, on a thread of Redisson. */
  void onNotice(Consumer<Notice> listener) {
    asking(() -> notices()
        .addListener(String.class, (channel, text) -> listener.accept(Notice.parse(text))));
  }

  /** Lets the node hear questions of others. */
  void onQuestions(NodeQuestions questions) {
    asking(() -> {
      questions.listen();
      return true;
    });
  }

  @Override
  public void close() {
    redisson.shutdown(0, 2, TimeUnit.SECONDS);
  }

  private RMap<String, String> map() {
    return redisson.getMap(RedisKeys.POLICY, StringCodec.INSTANCE);
  }

  private RBucket<String> proposal(String name) {
    return redisson.getBucket(RedisKeys.policyProposal(name), StringCodec.INSTANCE);
  }

  private RTopic notices() {
    return redisson.getTopic(RedisKeys.POLICY_NOTICES, StringCodec.INSTANCE);
  }

  private static <T> T asking(Supplier<T> question) {
    try {
      return question.get();
    } catch (RedisException e) {
      throw unavailable(e);
    }
  }

  private static StoreUnavailableException unavailable(RedisException error) {
    return new StoreUnavailableException(
        fault(error), "Redis did not answer: " + summary(error), error);
  }

  private static StoreFault fault(RedisException error) {
    if (error instanceof RedisTimeoutException) {
      return StoreFault.SLOW;
    }
    StoreFault fault = Faults.of(error);
    return fault == StoreFault.MISCONFIGURED && error instanceof RedisConnectionException
        ? StoreFault.UNREACHABLE
        : fault;
  }

  // Redisson's messages repeat the whole command, here a whole policy.
  private static String summary(RedisException error) {
    String message = Faults.message(error).lines().findFirst().orElse("");
    return message.length() <= MAX_MESSAGE ? message : message.substring(0, MAX_MESSAGE) + "…";
  }
}
