package io.weir.providers.store;

import io.weir.state.wire.RedisKeys;
import java.util.List;

/** The keys of upstreams in Redis. */
public final class UpstreamKeys {
  private UpstreamKeys() {}

  /** The keys of an upstream: a hash of its slots, and a sorted set of the requests under way. */
  public static List<String> of(String name) {
    String upstream = RedisKeys.ofExtension("upstream", name);
    return List.of(upstream, upstream + ":inflight");
  }

  /** The key that names the node that checks the health of an upstream's providers. */
  static String watch(String name) {
    return of(name).get(0) + ":watch";
  }
}
