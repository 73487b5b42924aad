package io.weir.keys.directory;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.weir.node.auth.Addresses;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Limits failed look-ups to 300 per second for the strangers of a node, 20 of them per address (a /64 of IPv6), and 300
 * for its services, each with a burst. A look-up takes one, and gives it back unless it finds nothing: known keys that
 * are new to a node are not delayed. Mutable; safe for use by many threads.
 */
final class MissBudget {
  private static final int NODE_RATE = 300;
  private static final int NODE_BURST = 600;
  /** A service may ask for 1000 keys in one request. */
  private static final int SERVICES_BURST = 2000;

  private static final int ADDRESS_RATE = 20;
  private static final int ADDRESS_BURST = 100;
  private static final int MOST_ADDRESSES = 10_000;
  private static final double NANOS_PER_SECOND = 1e9;

  private final LongSupplier nanos;
  private final Tokens ofNode;
  private final Tokens ofServices;
  private final Cache<String, Tokens> ofAddresses = Caffeine.newBuilder()
      .maximumSize(MOST_ADDRESSES)
      .expireAfterAccess(Duration.ofMinutes(1))
      .build();

  MissBudget(LongSupplier nanos) {
    this.nanos = nanos;
    this.ofNode = new Tokens(NODE_RATE, NODE_BURST, nanos.getAsLong());
    this.ofServices = new Tokens(NODE_RATE, SERVICES_BURST, nanos.getAsLong());
  }

  /** Takes one look-up; false if there is none left. */
  boolean tryTake(Optional<String> address) {
    long now = nanos.getAsLong();
    if (address.isEmpty()) {
      return ofServices.tryTake(now);
    }
    Tokens own = tokens(address.get());
    if (!own.tryTake(now)) {
      return false;
    }
    if (ofNode.tryTake(now)) {
      return true;
    }
    own.giveBack();
    return false;
  }

  /** Gives one back. */
  void giveBack(Optional<String> address) {
    if (address.isEmpty()) {
      ofServices.giveBack();
    } else {
      ofNode.giveBack();
      tokens(address.get()).giveBack();
    }
  }

  private Tokens tokens(String address) {
    return ofAddresses.get(
        Addresses.network(address),
        name -> new Tokens(ADDRESS_RATE, ADDRESS_BURST, nanos.getAsLong()));
  }

  /** A bucket of tokens. Mutable; safe for use by many threads. */
  private static final class Tokens {
    private final int rate;
    private final int burst;
    private double left;
    private long atNanos;

    Tokens(int rate, int burst, long nowNanos) {
      this.rate = rate;
      this.burst = burst;
      this.left = burst;
      this.atNanos = nowNanos;
    }

    synchronized boolean tryTake(long nowNanos) {
      double gained = (nowNanos - atNanos) * rate / NANOS_PER_SECOND;
      left = Math.min(burst, left + Math.max(0, gained));
      atNanos = nowNanos;
      if (left < 1) {
        return false;
      }
      left--;
      return true;
    }

    synchronized void giveBack() {
      left = Math.min(burst, left + 1);
    }
  }
}
