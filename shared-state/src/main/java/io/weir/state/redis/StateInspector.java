package io.weir.state.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.weir.state.redis.wire.LuaScript;
import io.weir.state.redis.wire.RedisKeys;
import io.weir.throttle.StoreUnavailableException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
        Faults.of(e), "cannot show %s: %s".formatted(key, e.getMessage()), e);
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
      List<String> reply = commands.eval(SHOW.source(), ScriptOutputType.MULTI, keys);
      Map<String, String> fields = new LinkedHashMap<>();
      for (int i = 0; i < reply.size(); i += 2) {
        fields.put(reply.get(i), reply.get(i + 1));
      }
      put(fields, "queue", commands.zcard(RedisKeys.queue(key)), "places");
      return fields;
    } catch (RedisException e) {
      throw cannotShow(key, e);
    }
  }
}
