package io.weir.state.policy;

import io.lettuce.core.KeyValue;
import io.weir.core.throttle.Failures;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.connection.RedisConnections;
import io.weir.state.connection.Scripts;
import io.weir.state.wire.LuaLibrary;
import io.weir.state.wire.LuaScript;
import io.weir.state.wire.RedisKeys;
import io.weir.state.wire.Statuses;
import io.weir.state.wire.Statuses.Publish;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** The stored policy, on the connections for decisions. Safe for use by many threads. */
final class FollowedHash implements PolicyRecord {
  private final RedisConnections redis;
  private final LuaScript publish = LuaLibrary.limiter(Map.of()).script("publish");

  FollowedHash(RedisConnections redis) {
    this.redis = redis;
  }

  @Override
  public PolicyText stamp() {
    return read(PolicyText.STAMP);
  }

  @Override
  public PolicyText read() {
    return read(PolicyText.FIELDS);
  }

  private PolicyText read(Set<String> fields) {
    List<KeyValue<String, String>> found = waited(
        redis.ask(commands -> commands.hmget(RedisKeys.POLICY, fields.toArray(String[]::new))));
    Map<String, String> values = new HashMap<>();
    found.forEach(field -> field.ifHasValue(value -> values.put(field.getKey(), value)));
    return PolicyText.of(values);
  }

  @Override
  public boolean replace(long expected, PolicyText policy, Edit edit) {
    List<Object> reply = waited(
        Scripts.run(redis, publish, List.of(RedisKeys.POLICY), policy.toStore(expected, edit)));
    boolean isPublished = Statuses.of(Publish.class, reply.get(0)) == Publish.PUBLISHED;
    if (isPublished) {
      String revision = Long.toString(policy.revision());
      Notice notice = new Notice(Notice.Kind.IN_FORCE, revision);
      // A subscriber that misses the notices finds the policy within a second.
      CompletionStage<Long> unused = redis
          .ask(commands -> commands.publish(RedisKeys.POLICY_NOTICES, notice.text()))
          .thenCompose(
              told -> redis.ask(commands -> commands.publish(RedisKeys.POLICY_IN_FORCE, revision)));
    }
    return isPublished;
  }

  /** The membership of this program, if it counts as a node. */
  Membership membership(String name) {
    return new Membership(
        name,
        (beat, arguments) -> Scripts.run(redis, beat, List.of(RedisKeys.NODES), arguments)
            .thenApply(reply -> (Long) reply.get(0)));
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
