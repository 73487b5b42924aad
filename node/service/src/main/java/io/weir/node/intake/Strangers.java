package io.weir.node.intake;

import io.vertx.core.Vertx;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Bounds the connections of a port for services, on one event loop. Strangers, who have not shown the service token, have
 * few of them and little time, and the oldest of them makes room for the next connection: a service shows its token
 * before so many others have come. Services of one network have half of them. Mutable; owned by its event loop.
 */
public final class Strangers {
  private static final long MILLIS = TimeUnit.SECONDS.toMillis(10);

  private final Vertx vertx;
  private final int mostConnections;
  private final int mostStrangers;
  private final Set<Stranger> strangers = new LinkedHashSet<>();
  private final Map<String, Integer> servicesOf = new HashMap<>();
  private int services;

  /**
   * @param mostConnections of services and strangers
   * @param mostStrangers of the strangers among them
   */
  public Strangers(Vertx vertx, int mostConnections, int mostStrangers) {
    this.vertx = vertx;
    this.mostConnections = mostConnections;
    this.mostStrangers = mostStrangers;
  }

  /**
   * Counts a new connection.
   *
   * @param network that it comes from
   * @param close closes it, if it has not shown the token in time, or for another connection
   * @return empty if services have all connections, or those of this network half of them
   */
  public Optional<Stranger> welcome(String network, Runnable close) {
    if (services >= mostConnections || servicesOf.getOrDefault(network, 0) >= mostConnections / 2) {
      return Optional.empty();
    }
    if (strangers.size() >= mostStrangers || services + strangers.size() >= mostConnections) {
      strangers.iterator().next().dismiss();
    }
    return Optional.of(new Stranger(network, close));
  }

  /** A connection, at first without the token. */
  public final class Stranger {
    private final String network;
    private final Runnable close;
    private final long timer;
    private boolean isKnown;

    private Stranger(String network, Runnable close) {
      this.network = network;
      this.close = close;
      this.timer = vertx.setTimer(MILLIS, late -> dismiss());
      strangers.add(this);
    }

    /** It has shown the token. */
    public void isKnown() {
      if (leaves()) {
        isKnown = true;
        count(1);
      }
    }

    /** The connection is closed. */
    public void closed() {
      boolean unused = leaves();
      if (isKnown) {
        isKnown = false;
        count(-1);
      }
    }

    @SuppressWarnings("NullAway") // null removes the entry
    private void count(int more) {
      services += more;
      servicesOf.merge(
          network, more, (before, added) -> before + added == 0 ? null : before + added);
    }

    private void dismiss() {
      if (leaves()) {
        close.run();
      }
    }

    private boolean leaves() {
      boolean unused = vertx.cancelTimer(timer);
      return strangers.remove(this);
    }
  }
}
