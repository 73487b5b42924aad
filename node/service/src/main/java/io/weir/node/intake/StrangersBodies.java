package io.weir.node.intake;

import io.vertx.core.http.HttpServerRequest;
import io.weir.node.auth.Addresses;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The memory for bodies of callers that are unknown until their body is read. If it is full, the oldest body of the
 * network that takes the most memory is dropped, so that unfinished bodies do not keep out bodies that arrive at once.
 * Mutable; owned by one event loop.
 */
public final class StrangersBodies {
  /** The memory of an unfinished body besides its bytes. */
  private static final int OVERHEAD_BYTES = 1 << 10;

  private static final String UNKNOWN = "(unknown)";

  private final long maxBytes;
  private final Map<String, Network> networks = new HashMap<>();
  private long taken;

  /** @param maxBytes the most bytes of all such bodies of this event loop */
  public StrangersBodies(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** The network that a request comes from: an address of IPv4, or the /64 of an address of IPv6. */
  public static String network(HttpServerRequest request) {
    return network(Addresses.peer(request));
  }

  static String network(Optional<String> address) {
    return address.map(Addresses::network).orElse(UNKNOWN);
  }

  /**
   * Adds a body.
   *
   * @param giveWay ends it when its memory is needed
   */
  BodyMemory begin(String network, Runnable giveWay) {
    BodyMemory place = new BodyMemory(network, giveWay);
    networks.computeIfAbsent(network, name -> new Network()).places.add(place);
    place.grow(OVERHEAD_BYTES);
    return place;
  }

  /** The number of bytes taken. */
  long taken() {
    return taken;
  }

  private void makeRoom() {
    while (taken > maxBytes) {
      Network heaviest = networks.values().stream()
          .max(Comparator.comparingLong(network -> network.bytes))
          .orElseThrow();
      BodyMemory oldest = heaviest.places.iterator().next();
      oldest.end();
      oldest.giveWay.run();
    }
  }

  /** The bodies of a network, oldest first. */
  private static final class Network {
    private final Set<BodyMemory> places = new LinkedHashSet<>();
    private long bytes;
  }

  /** The memory of one body. Mutable; owned by its request. */
  final class BodyMemory {
    private final String network;
    private final Runnable giveWay;
    private long bytes;
    private boolean hasEnded;

    private BodyMemory(String network, Runnable giveWay) {
      this.network = network;
      this.giveWay = giveWay;
    }

    /** Takes more; false if this body was dropped. */
    boolean grow(long more) {
      Network of = networks.get(network);
      if (hasEnded || of == null) {
        return false;
      }
      bytes += more;
      of.bytes += more;
      taken += more;
      makeRoom();
      return !hasEnded;
    }

    /** Frees the memory; a second call does nothing. */
    void end() {
      Network of = networks.get(network);
      if (hasEnded || of == null) {
        return;
      }
      hasEnded = true;
      of.bytes -= bytes;
      taken -= bytes;
      of.places.remove(this);
      if (of.places.isEmpty()) {
        networks.remove(network);
      }
    }
  }
}
