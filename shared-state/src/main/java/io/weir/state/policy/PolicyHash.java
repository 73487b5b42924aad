package io.weir.state.policy;

import io.lettuce.core.KeyValue;
import io.lettuce.core.SetArgs;
import io.weir.core.throttle.Failures;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.connection.RedisConnections;
import io.weir.state.connection.RedisLibrary;
import io.weir.state.wire.Partition;
import io.weir.state.wire.RedisKeys;
import io.weir.state.wire.Statuses;
import io.weir.state.wire.Statuses.Publish;
import io.weir.state.wire.StoreClock;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The policy as it is stored, with earlier revisions and the proposals of others. Failures are {@link
 * StoreUnavailableException}; methods that return no stage wait for Redis. Safe for use by many threads.
 */
final class PolicyHash {
  private static final Logger LOG = LoggerFactory.getLogger(PolicyHash.class);
  private static final Duration PROPOSAL_LASTS = Duration.ofMinutes(1);

  private final RedisConnections redis;
  private final RedisLibrary limiter;

  PolicyHash(RedisConnections redis) {
    this.redis = redis;
    this.limiter = RedisLibrary.limiter(redis, StoreClock.REDIS);
  }

  /** The revision and the digest that are stored; the text is left out. */
  PolicyText stamp() {
    return PolicyText.of(StateFormat.requireKnown(waited(fields(PolicyText.STAMP))));
  }

  /** The whole policy; its revision is 0 if none is stored. */
  PolicyText read() {
    return PolicyText.of(StateFormat.requireKnown(waited(fields(PolicyText.FIELDS))));
  }

  private CompletionStage<Map<String, String>> fields(Collection<String> names) {
    return redis
        .ask(commands -> commands.hmget(RedisKeys.POLICY, names.toArray(String[]::new)))
        .thenApply(PolicyHash::present);
  }

  private static Map<String, String> present(List<KeyValue<String, String>> fields) {
    Map<String, String> values = new HashMap<>();
    fields.forEach(field -> field.ifHasValue(value -> values.put(field.getKey(), value)));
    return values;
  }

  /** Stores a policy if the revision is still the expected one, and announces it; false if it is another one. */
  boolean replace(long expected, PolicyText policy, Edit edit) {
    List<Object> reply =
        waited(limiter.run("publish", List.of(RedisKeys.POLICY), policy.toStore(expected, edit)));
    boolean isPublished = Statuses.of(Publish.class, reply.get(0)) == Publish.PUBLISHED;
    if (isPublished) {
      announce(policy.revision());
      raiseFormat();
    }
    return isPublished;
  }

  /** Stores the format that this release writes, if an older one or none is stored. A Redis that is full stays as it is. */
  void raiseFormat() {
    try {
      Map<String, String> stored = waited(fields(List.of(StateFormat.FIELD)));
      if (StateFormat.isBehind(stored)) {
        waited(limiter.run(
            "raise",
            List.of(RedisKeys.POLICY),
            List.of(StateFormat.FIELD, Integer.toString(StateFormat.VERSION))));
      }
    } catch (StoreUnavailableException e) {
      LOG.warn("the format of the state could not be stored: {}", e.getMessage());
    }
  }

  // A subscriber that misses the notices finds the policy within a second.
  private void announce(long revision) {
    Notice notice = new Notice(Notice.Type.IN_FORCE, Long.toString(revision));
    try {
      waited(redis
          .ask(commands -> commands.publish(RedisKeys.POLICY_NOTICES, notice.text()))
          .thenCompose(receivers ->
              redis.ask(commands -> commands.publish(RedisKeys.POLICY_IN_FORCE, notice.what()))));
    } catch (StoreUnavailableException e) {
      LOG.warn("policy revision {} is in force, and could not be announced", revision);
    }
  }

  /** The revisions that are kept, the newest first. */
  CompletionStage<List<PastRevision>> history() {
    return redis
        .ask(commands -> commands.hget(RedisKeys.POLICY, "revisions"))
        .thenCompose(listed -> listed == null || listed.isEmpty()
            ? CompletableFuture.completedFuture(List.of())
            : history(List.of(listed.split(" "))));
  }

  private CompletionStage<List<PastRevision>> history(List<String> revisions) {
    return fields(revisions.stream().map(PolicyHash::about).toList())
        .thenApply(about -> revisions.stream()
            .map(one -> PastRevision.of(one, about.getOrDefault(about(one), "")))
            .toList());
  }

  private static String about(String listed) {
    return "about:" + listed.substring(0, listed.indexOf(':'));
  }

  /** The document of a revision before the present one; empty if it is not kept. */
  CompletionStage<Optional<String>> document(long revision) {
    return redis
        .ask(commands -> commands.hget(RedisKeys.POLICY, "document:" + revision))
        .thenApply(Optional::ofNullable);
  }

  /** Whether parts of the shared state have copies of the revision. */
  boolean isCluster() {
    return redis.parts() > 1;
  }

  /** Raises the copies of the revision, if there are any: from then on no part decides by an older one. */
  CompletionStage<Void> raiseCopies(long revision) {
    return isCluster()
        ? CompletableFuture.allOf(Partition.all()
            .mapToObj(partition -> raised(partition, revision))
            .toArray(CompletableFuture[]::new))
        : CompletableFuture.completedFuture(null);
  }

  private CompletableFuture<List<Object>> raised(int partition, long revision) {
    return limiter.run(
        "raise",
        List.of(RedisKeys.policyOf(partition)),
        List.of("revision", Long.toString(revision)));
  }

  /** Stores a proposal for all nodes to read, under its own name, for a limited time. */
  void lay(String proposal, PolicyText policy) {
    waited(redis.ask(commands -> commands.set(
        RedisKeys.policyProposal(proposal),
        policy.name() + "\n" + policy.text(),
        SetArgs.Builder.px(PROPOSAL_LASTS))));
  }

  /** The proposal with this name, with the policy's name on the first line; empty if it is gone. */
  Optional<String> laid(String proposal) {
    return waited(redis
        .ask(commands -> commands.get(RedisKeys.policyProposal(proposal)))
        .thenApply(Optional::ofNullable));
  }

  void removeLaid(String proposal) {
    waited(redis.ask(commands -> commands.del(RedisKeys.policyProposal(proposal))));
  }

  /** The membership of a node with this name. */
  Membership membership(String node) {
    return new Membership(redis, node);
  }

  /** The number of nodes. */
  CompletionStage<Long> nodes() {
    return redis.ask(commands -> commands.zcard(RedisKeys.NODES));
  }

  private <T> T waited(CompletionStage<T> asked) {
    try {
      return asked
          .toCompletableFuture()
          .orTimeout(2 * redis.commandTimeout().toMillis(), TimeUnit.MILLISECONDS)
          .join();
    } catch (CompletionException e) {
      Throwable cause = Failures.cause(e);
      throw cause instanceof StoreUnavailableException known
          ? known
          : new StoreUnavailableException(StoreFault.SLOW, "Redis did not answer in time", cause);
    }
  }
}
