package io.weir.state.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.weir.policy.Plan;
import io.weir.state.redis.wire.LuaScript;
import io.weir.state.redis.wire.RedisKeys;
import io.weir.throttle.StoreUnavailableException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Looks into the shared state for an operator: reads only, blocks its caller, and decides nothing. */
public final class StateInspector {
  private static final LuaScript SHOW = LuaScript.load("show");

  private final RedisConnections connections;

  public StateInspector(RedisConnections connections) {
    this.connections = connections;
  }

  /** An upstream of providers likewise, and how many requests are under way to it. */
  public Map<String, String> showUpstream(String name) {
    List<String> keys = RedisKeys.upstream(name);
    Map<String, String> fields = show(keys.get(0));
    put(fields, "inflight", count(keys.get(1)), "under way");
    return fields;
  }

  /** A window likewise, and what its ranges wait for. */
  public Map<String, String> showWindow(String name) {
    List<String> keys = RedisKeys.window(name);
    Map<String, String> fields = show(keys.get(0));
    put(fields, "todo", count(keys.get(3)), "ranges to be claimed");
    put(fields, "times", count(keys.get(4)), "ranges claimed, or to be tried again");
    return fields;
  }

  /**
   * The policy in force, as it was published.
   *
   * @param bursts how long its buckets take to drain from full, for {@link #showAll}
   */
  public record Published(long revision, String name, String document, String bursts) {}

  /** The policy in force; empty where there is none. */
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
   * A state in words, and behind it how the limits of its owner stand that are no rates: counters by the name of the limit,
   * permits as {@code <limit>.held}.
   *
   * @param state of Redis: that of a key, a tenant or the cluster
   * @param bursts as they are published
   * @param plans of which the limits are
   * @return empty where nothing is used
   */
  public Map<String, String> showAll(String state, String bursts, List<Plan> plans) {
    String limits = LimitLines.of(plans.stream());
    Map<String, String> fields = asked(state, bursts, limits);
    fields.putAll(asked(RedisKeys.counters(state), bursts, limits));
    LimitLines.permits(plans.stream())
        .forEach(permits -> Optional.ofNullable(
                asked(RedisKeys.permits(state, permits), bursts, limits).get("held"))
            .ifPresent(held -> fields.put(permits + ".held", held)));
    put(fields, "queue", count(RedisKeys.queue(state)), "places");
    return fields;
  }

  /** A bucket of scope {@code cluster} of which nodes hold leases; empty where there is none. */
  public Map<String, String> showPool(String bucket, String bursts) {
    return asked(RedisKeys.pool(bucket), bursts, "");
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
   * The state of a key, a tenant or the cluster in words, as {@code lua/show.lua} shows it, and the length of its
   * queue where it has one.
   *
   * @param key of Redis, see {@code docs/reference/redis.md}
   * @return empty where there is no such state: nothing is used
   * @throws StoreUnavailableException where Redis does not answer, or holds something else there
   */
  public Map<String, String> show(String key) {
    try {
      RedisClusterCommands<String, String> commands = connections.sync();
      // A script of a Redis Cluster asks for the keys of one place only.
      String[] keys =
          connections.parts() == 1 ? new String[] {key, RedisKeys.POLICY} : new String[] {key};
      Map<String, String> fields =
          fields(commands.eval(SHOW.source(), ScriptOutputType.MULTI, keys));
      put(fields, "queue", commands.zcard(RedisKeys.queue(key)), "places");
      return fields;
    } catch (RedisException e) {
      throw cannotShow(key, e);
    }
  }
}
