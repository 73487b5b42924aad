package io.weir.state.control;

import io.weir.state.redis.wire.LuaScript;
import io.weir.state.redis.wire.RedisKeys;
import java.time.Duration;
import java.util.List;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisException;
import org.redisson.client.codec.StringCodec;

/**
 * Which nodes are alive: each says so once a second. Mutable; safe for use by many threads. While the shared state is
 * away, as many are alive as when it was last heard of.
 */
final class Membership {
  private static final Duration LASTS = Duration.ofSeconds(5);

  private final RedissonClient redisson;
  private final String node;
  private final LuaScript beat = LuaScript.load("beat");
  private volatile int alive = 1;

  Membership(RedissonClient redisson, String node) {
    this.redisson = redisson;
    this.node = node;
  }

  /** Says that this node is alive; nothing where nobody hears it. */
  void beat() {
    try {
      alive = (int) Math.max(1, say(node));
    } catch (RedisException e) {
      // It is said again in a second.
    }
  }

  /** Says that this node ends. */
  void leave() {
    try {
      say("-" + node);
    } catch (RedisException e) {
      // The others find out by themselves.
    }
  }

  /** How many nodes were alive, this one among them, when they were last counted. */
  int alive() {
    return alive;
  }

  private long say(String text) {
    Long counted = redisson
        .getScript(StringCodec.INSTANCE)
        .eval(
            RScript.Mode.READ_WRITE,
            beat.source(),
            RScript.ReturnType.LONG,
            List.of(RedisKeys.NODES),
            text,
            Long.toString(LASTS.toMillis()));
    return counted;
  }
}
