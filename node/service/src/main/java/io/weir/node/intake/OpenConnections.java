package io.weir.node.intake;

import io.weir.node.metrics.ConnectionMeters;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the open connections of an event loop. At the bound, a connection without an open request is closed for the next
 * one: the oldest whose handshake is slow, else the oldest of the network with the most connections, rather one that was not
 * used lately. Mutable; owned by its event loop.
 */
public final class OpenConnections {
  private static final Logger LOG = LoggerFactory.getLogger(OpenConnections.class);
  /** The networks that are looked at for one new connection. */
  private static final int MOST_NETWORKS = 8;
  /** The connections of a network that are looked at for one new connection. */
  private static final int MOST_LOOKS = 8;

  private final int most;
  private final ConnectionMeters meters;
  private final Map<String, Network> networks = new HashMap<>();
  private final TreeMap<Integer, Set<Network>> bySize = new TreeMap<>();
  private final Set<Connection> slow = new LinkedHashSet<>();
  private int open;

  /** The requests of a connection. */
  public interface Requests {
    /** A connection that has none. */
    Requests NONE = new Requests() {
      @Override
      public boolean areOpen() {
        return false;
      }

      @Override
      public long begun() {
        return 0;
      }
    };

    /** Whether one has no answer yet, or the caller has not read it. */
    boolean areOpen();

    /** The number of requests so far. */
    long begun();
  }

  /** @param most connections at once, at least one */
  OpenConnections(int most, ConnectionMeters meters) {
    this.most = most;
    this.meters = meters;
  }

  /**
   * Counts a new connection, at its acceptance. It has no open request until it is {@linkplain Connection#watch watched}.
   *
   * @param network that it comes from
   * @param close closes it for another one
   * @return empty if the bound is reached, and none could be closed: this one is to be
   */
  Optional<Connection> admit(String network, Runnable close) {
    Network known = networks.get(network);
    if (open >= most && !makeRoom(known == null ? 1 : known.connections.size())) {
      meters.refused();
      LOG.warn("{} connections have open requests: one of {} is refused", open, network);
      return Optional.empty();
    }
    Network joined = networks.computeIfAbsent(network, Network::new);
    Connection connection = new Connection(joined, close);
    joined.add(connection);
    open++;
    return Optional.of(connection);
  }

  // Networks that have fewer connections than the one of the new connection lose none.
  private boolean makeRoom(int least) {
    Connection closed = slow(least);
    if (closed == null) {
      closed = unused(least);
    }
    if (closed == null) {
      return false;
    }
    LOG.warn(
        "{} connections are open: one of {}, which has {}, is closed",
        open,
        closed.network.name,
        closed.network.connections.size());
    closed.makeRoom();
    return true;
  }

  // One that was looked at in vain becomes the last, so that the next look finds others.
  private @Nullable Connection slow(int least) {
    for (int looks = Math.min(MOST_LOOKS, slow.size()); looks > 0; looks--) {
      Connection oldest = slow.iterator().next();
      if (oldest.network.connections.size() >= least) {
        return oldest;
      }
      slow.remove(oldest);
      slow.add(oldest);
    }
    return null;
  }

  private @Nullable Connection unused(int least) {
    List<Network> looked = new ArrayList<>();
    Connection closed = null;
    for (Set<Network> ofSize : bySize.tailMap(least, true).descendingMap().values()) {
      for (Network network : ofSize) {
        looked.add(network);
        closed = network.unused();
        if (closed != null || looked.size() == MOST_NETWORKS) {
          break;
        }
      }
      if (closed != null || looked.size() == MOST_NETWORKS) {
        break;
      }
    }
    looked.forEach(Network::becomeLast);
    return closed;
  }

  /** The connections of one network, the oldest first. */
  private final class Network {
    private final String name;
    private final Set<Connection> connections = new LinkedHashSet<>();

    Network(String name) {
      this.name = name;
    }

    void add(Connection connection) {
      leaveSize();
      connections.add(connection);
      joinSize();
    }

    boolean remove(Connection connection) {
      leaveSize();
      boolean isRemoved = connections.remove(connection);
      joinSize();
      return isRemoved;
    }

    /** The others with as many connections are looked at first. */
    void becomeLast() {
      leaveSize();
      joinSize();
    }

    // One that was looked at in vain becomes the youngest, so that the next look finds others.
    @Nullable
    Connection unused() {
      Connection usedLately = null;
      for (int looks = Math.min(MOST_LOOKS, connections.size()); looks > 0; looks--) {
        Connection oldest = connections.iterator().next();
        boolean isOpen = oldest.requests.areOpen();
        if (!isOpen && !oldest.wasUsed()) {
          return oldest;
        }
        if (!isOpen && usedLately == null) {
          usedLately = oldest;
        }
        connections.remove(oldest);
        connections.add(oldest);
      }
      return usedLately;
    }

    private void leaveSize() {
      Set<Network> ofSize = bySize.get(connections.size());
      if (ofSize != null && ofSize.remove(this) && ofSize.isEmpty()) {
        bySize.remove(connections.size());
      }
    }

    private void joinSize() {
      if (connections.isEmpty()) {
        networks.remove(name);
      } else {
        bySize
            .computeIfAbsent(connections.size(), size -> new LinkedHashSet<>())
            .add(this);
      }
    }
  }

  /** A connection that is counted. Mutable; owned by the event loop. */
  public final class Connection {
    private final Network network;
    private final Runnable close;
    private Requests requests = Requests.NONE;
    private long seen;

    private Connection(Network network, Runnable close) {
      this.network = network;
      this.close = close;
    }

    /** Its handshake takes long: it makes room before others. */
    void handshakeIsSlow() {
      slow.add(this);
    }

    /** It makes room as others do. */
    void handshakeEnded() {
      slow.remove(this);
    }

    /** Looks at its requests from now on. */
    public void watch(Requests ofConnection) {
      requests = ofConnection;
    }

    /** The connection is closed; a second call does nothing. */
    void closed() {
      slow.remove(this);
      if (network.remove(this)) {
        open--;
      }
    }

    private boolean wasUsed() {
      long before = seen;
      seen = requests.begun();
      return seen != before;
    }

    private void makeRoom() {
      closed();
      meters.closed();
      close.run();
    }
  }
}
