package io.weir.node.envoy;

import java.util.HashMap;
import java.util.Map;

/**
 * Bounds the bytes of all messages that have not been answered, of which those of one network take at most half. Mutable;
 * owned by one event loop.
 */
final class BodyBudget {
  private final long ofNetwork;
  private final Map<String, NetworkBudget> shares = new HashMap<>();
  private long left;

  BodyBudget(long bytes) {
    this.left = bytes;
    this.ofNetwork = bytes / 2;
  }

  /** The share of a network, for one connection of it more. */
  NetworkBudget open(String network) {
    NetworkBudget share = shares.computeIfAbsent(network, NetworkBudget::new);
    share.connections++;
    return share;
  }

  /** The bytes of one network. Mutable; owned by the event loop. */
  final class NetworkBudget {
    private final String network;
    private int connections;
    private long taken;

    private NetworkBudget(String network) {
      this.network = network;
    }

    /** Takes bytes, if there are so many. */
    boolean tryTake(int bytes) {
      boolean fits = bytes <= left && taken + bytes <= ofNetwork;
      add(fits ? bytes : 0);
      return fits;
    }

    void giveBack(int bytes) {
      add(-bytes);
    }

    /** One connection is closed. */
    void close() {
      connections--;
      forget();
    }

    private void add(int bytes) {
      left -= bytes;
      taken += bytes;
      forget();
    }

    // Messages may be answered after the end of their connection.
    private void forget() {
      if (connections == 0 && taken == 0) {
        shares.remove(network, this);
      }
    }
  }
}
