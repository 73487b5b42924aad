package io.weir.node.upstream;

import io.vertx.core.MultiMap;
import io.weir.core.policy.Upstream;
import java.util.Set;

/** The headers that a request has at the server that it is sent to. */
public interface RequestHeaders {
  /** The headers for our own upstream, with the caller's identity. */
  MultiMap own(Upstream server);

  /**
   * The headers for a third party: without the caller's identity and secrets, and without our keys at other servers.
   *
   * @param keys the headers that carry our keys, as of {@link ForwardedHeaders#plain}
   */
  MultiMap foreign(Upstream server, Set<String> keys);
}
