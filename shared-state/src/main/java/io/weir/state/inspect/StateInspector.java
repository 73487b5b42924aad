package io.weir.state.inspect;

import io.lettuce.core.RedisException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Scope;
import io.weir.core.policy.Plan;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.connection.Faults;
import io.weir.state.connection.RedisConnections;
import io.weir.state.wire.LuaLibrary;
import io.weir.state.wire.LuaScript;
import io.weir.state.wire.RedisKeys;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Reads the shared state for an operator: changes nothing, and blocks its caller. */
public final class StateInspector {
  private static final LuaScript SHOW = LuaLibrary.limiter(Map.of()).script("show");

  private final RedisConnections connections;

  public StateInspector(RedisConnections connections) {
    this.connections = connections;
  }

  /** Adds how many members a sorted set has, if it has some. */
  public void putCount(Map<String, String> fields, String name, String key, String what) {
    put(fields, name, count(key), what);
  }

  /**
   * The policy in force, as it was published.
   *
   * @param bursts the times to drain its buckets from full, for {@link #showAll}
   */
  public record Published(long revision, String name, String document, String bursts) {}

  /** The policy in force; empty if there is none. */
  public Optional<Published> policy() {
    try {
      Map<String, String> fields = new HashMap<>();
      connections
          .sync()
          .hmget(RedisKeys.POLICY, "revision", "name", "document", "bursts")
          .forEach(field -> field.ifHasValue(value -> fields.put(field.getKey(), value)));
      return Optional.ofNullable(fields.get("document"))
          .map(document -> new Published(
              Long.parseLong(fields.getOrDefault("revision", "0")),
              fields.getOrDefault("name", "policy"),
              document,
              fields.getOrDefault("bursts", "")));
    } catch (RedisException e) {
      throw cannotShow(RedisKeys.POLICY, e);
    }
  }

  /**
   * A state in words, followed by the standings of its owner's limits other than rates: counters by the name of the
   * limit, permits as {@code <limit>.held}.
   *
   * @param state the key in Redis of a key's, a tenant's or the cluster's state
   * @param bursts as published
   * @param plans the plans with the limits
   * @return empty if nothing is used
   */
  public Map<String, String> showAll(String state, String bursts, List<Plan> plans) {
    String limits = LimitLines.of(plans.stream());
    Map<String, String> fields = asked(state, bursts, limits);
    fields.putAll(asked(RedisKeys.counters(state), bursts, limits));
    LimitLines.permits(plans.stream())
        .forEach(permits -> Optional.ofNullable(
                asked(RedisKeys.permits(state, permits), bursts, limits).get("held"))
            .ifPresent(held -> fields.put(permits + ".held", held)));
    return fields;
  }

  /**
   * The buckets among these that are leased and used, by their keys in Redis.
   *
   * @param tenant of the owner; of no matter for scope {@code cluster}
   * @param subject of the owner, for scope {@code key}
   */
  public Map<String, Map<String, String>> showPools(
      Stream<Bucket> buckets, String tenant, String subject, String bursts) {
    Map<String, Map<String, String>> pools = new LinkedHashMap<>();
    buckets
        .filter(bucket -> bucket.leased() || bucket.scope() == Scope.CLUSTER)
        .map(bucket -> RedisKeys.pool(bucket, tenant, subject))
        .distinct()
        .forEach(pool -> {
          Map<String, String> fields = asked(pool, bursts, "");
          if (!fields.isEmpty()) {
            pools.put(pool, fields);
          }
        });
    return pools;
  }

  /**
   * The holders of permits of a limit, with the end of each lease in microseconds, the longest first.
   *
   * @param state the key in Redis of the limit's owner
   */
  public Map<String, Long> holders(String state, String limit, int most) {
    String key = RedisKeys.permits(state, limit);
    try {
      Map<String, Long> holders = new LinkedHashMap<>();
      connections
          .sync()
          .zrevrangeWithScores(key, 0, most - 1L)
          .forEach(holder -> holders.put(holder.getValue(), (long) holder.getScore()));
      return holders;
    } catch (RedisException e) {
      throw cannotShow(key, e);
    }
  }

  private Map<String, String> asked(String key, String... texts) {
    try {
      return fields(connections
          .sync()
          .eval(SHOW.source(), ScriptOutputType.MULTI, new String[] {key}, texts));
    } catch (RedisException e) {
      throw cannotShow(key, e);
    }
  }

  private static Map<String, String> fields(List<String> reply) {
    Map<String, String> fields = new LinkedHashMap<>();
    for (int i = 0; i < reply.size(); i += 2) {
      fields.put(reply.get(i), reply.get(i + 1));
    }
    return fields;
  }

  private long count(String key) {
    try {
      return connections.sync().zcard(key);
    } catch (RedisException e) {
      throw cannotShow(key, e);
    }
  }

  private static void put(Map<String, String> fields, String name, long count, String what) {
    if (count > 0) {
      fields.put(name, "%d %s".formatted(count, what));
    }
  }

  private static StoreUnavailableException cannotShow(String key, RedisException e) {
    return new StoreUnavailableException(
        Faults.of(e), "cannot show %s: %s".formatted(key, Faults.message(e)), e);
  }

  /**
   * The state of a key, a tenant or the cluster in words, as {@code lua/show.lua} shows it.
   *
   * @param key of Redis, see {@code docs/reference/redis.md}
   * @return empty if there is no such state: nothing is used
   * @throws StoreUnavailableException if Redis does not answer, or the key holds something else
   */
  public Map<String, String> show(String key) {
    try {
      RedisClusterCommands<String, String> commands = connections.sync();
      // On a Redis Cluster all keys of a script must be in one slot.
      String[] keys =
          connections.parts() == 1 ? new String[] {key, RedisKeys.POLICY} : new String[] {key};
      return fields(commands.eval(SHOW.source(), ScriptOutputType.MULTI, keys));
    } catch (RedisException e) {
      throw cannotShow(key, e);
    }
  }
}
