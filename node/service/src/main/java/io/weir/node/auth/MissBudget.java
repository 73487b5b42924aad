package io.weir.node.auth;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Limits the failed look-ups of strangers to 300 per second for the node, and 20 of them per address (a /64 of IPv6), each
 * with a burst. A look-up takes one, and gives it back if it finds something: those who are known elsewhere are not
 * delayed, and a stranger takes nothing from other addresses until 15 of them guess together. Mutable; safe for use by many
 * threads.
 */
public final class MissBudget {
  static final int NODE_BURST = 600;
  static final int ADDRESS_RATE = 20;
  static final int ADDRESS_BURST = 100;
  private static final int NODE_RATE = 300;
  private static final int MOST_ADDRESSES = 10_000;

  private final LongSupplier nanos;
  private final TokenBucket ofNode;
  private final Cache<String, TokenBucket> ofAddresses = Caffeine.newBuilder()
      .maximumSize(MOST_ADDRESSES)
      .expireAfterAccess(Duration.ofMinutes(1))
      .build();

  /** @param nanos a clock that is never moved back */
  public MissBudget(LongSupplier nanos) {
    this.nanos = nanos;
    this.ofNode = new TokenBucket(NODE_RATE, NODE_BURST, nanos);
  }

  /** Takes one look-up of an address; false if there is none left. */
  public boolean tryTake(String address) {
    TokenBucket own = bucket(address);
    if (!own.tryTake()) {
      return false;
    }
    if (ofNode.tryTake()) {
      return true;
    }
    own.giveBack();
    return false;
  }

  /** Gives one back. */
  public void giveBack(String address) {
    ofNode.giveBack();
    bucket(address).giveBack();
  }

  private TokenBucket bucket(String address) {
    return ofAddresses.get(
        Addresses.network(address), name -> new TokenBucket(ADDRESS_RATE, ADDRESS_BURST, nanos));
  }
}
