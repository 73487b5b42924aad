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
      long queued = commands.zcard(RedisKeys.queue(key));
      if (queued > 0) {
        fields.put("queue", queued + " places");
      }
      return fields;
    } catch (RedisException e) {
      throw new StoreUnavailableException(
          Faults.of(e), "cannot show %s: %s".formatted(key, e.getMessage()), e);
    }
  }
}
