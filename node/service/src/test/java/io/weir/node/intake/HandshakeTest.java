package io.weir.node.intake;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.vertx.core.net.impl.ShutdownEvent;
import io.weir.node.metrics.NodeMetrics;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Connections are counted before their handshake ends, and those with a slow one make room first. */
@Tag("isolation")
final class HandshakeTest {
  private static final int MOST = 4;

  private final NodeMetrics metrics = new NodeMetrics();
  private final OpenConnections connections = new OpenConnections(MOST, metrics.connections());

  /** An accepted connection. */
  private static final class Accepted extends EmbeddedChannel {
    private final SocketAddress address;

    Accepted(String host, OpenConnections connections) {
      super(false, false, new Handshake(loop -> connections));
      address = new InetSocketAddress(host, 1);
    }

    @Override
    protected SocketAddress remoteAddress0() {
      return address;
    }

    void waits(long seconds) {
      advanceTimeBy(seconds, TimeUnit.SECONDS);
      runScheduledPendingTasks();
    }

    /** The node stops, and Vert.x tells so all connections. */
    void stop() {
      pipeline().fireUserEventTriggered(new ShutdownEvent(1, TimeUnit.HOURS));
    }
  }

  private Accepted accept(String host) throws Exception {
    Accepted accepted = new Accepted(host, connections);
    accepted.register();
    return accepted;
  }

  private Accepted served(String host) throws Exception {
    Accepted accepted = accept(host);
    assertThat(Handshake.end(accepted.pipeline())).isPresent();
    return accepted;
  }

  @Test
  void aConnectionIsCountedFromItsAcceptanceOn() throws Exception {
    Accepted first = accept("10.0.0.1");
    for (int i = 1; i < MOST; i++) {
      accept("10.0.0.1");
    }
    assertThat(first.isOpen()).isTrue();
    assertThat(accept("10.0.0.1").isOpen()).isTrue();
    assertThat(first.isOpen()).isFalse();
  }

  @Test
  void aSlowHandshakeMakesRoomBeforeConnectionsOfANetworkWithMore() throws Exception {
    Accepted proxy = served("10.0.0.1");
    served("10.0.0.1");
    Accepted early = accept("10.0.0.2");
    Accepted slow = accept("10.0.0.3");
    slow.waits(Handshake.SLOW_SECONDS);
    assertThat(accept("10.0.0.4").isOpen()).isTrue();
    assertThat(slow.isOpen()).isFalse();
    assertThat(early.isOpen()).isTrue();
    accept("10.0.0.5");
    assertThat(early.isOpen()).isTrue();
    assertThat(proxy.isOpen()).isFalse();
  }

  @Test
  void aNetworkTakesNoSlowHandshakeFromOneThatHasFewer() throws Exception {
    Accepted other = accept("10.0.0.2");
    other.waits(Handshake.SLOW_SECONDS);
    for (int i = 0; i < 2 * MOST; i++) {
      accept("10.0.0.1");
    }
    assertThat(other.isOpen()).isTrue();
  }

  @Test
  void anEndedHandshakeIsNoLongerSlow() throws Exception {
    Accepted late = accept("10.0.0.1");
    late.waits(Handshake.SLOW_SECONDS);
    assertThat(Handshake.end(late.pipeline())).isPresent();
    served("10.0.0.2");
    served("10.0.0.2");
    served("10.0.0.2");
    accept("10.0.0.3");
    assertThat(late.isOpen()).isTrue();
    late.waits(Handshake.MOST_SECONDS);
    assertThat(late.isOpen()).isTrue();
  }

  @Test
  void aHandshakeWithoutAnEndIsClosed() throws Exception {
    Accepted first = accept("10.0.0.1");
    first.waits(Handshake.MOST_SECONDS - 1);
    assertThat(first.isOpen()).isTrue();
    first.waits(1);
    assertThat(first.isOpen()).isFalse();
    for (int i = 0; i < MOST; i++) {
      accept("10.0.0.1");
    }
    assertThat(metrics.scrape())
        .contains("throttle_connections_displaced_total{outcome=\"closed\"} 0.0");
  }

  @Test
  void aNodeThatStopsWaitsForNoHandshake() throws Exception {
    Accepted first = accept("10.0.0.1");
    first.stop();
    first.waits(1);
    assertThat(first.isOpen()).isFalse();
  }

  @Test
  void aHandshakeThatEndsWithWhatHasArrivedIsNotClosedWithTheNode() throws Exception {
    Accepted last = accept("10.0.0.1");
    last.stop();
    Handshake.end(last.pipeline());
    List<Object> events = new ArrayList<>();
    last.pipeline().addLast(new ChannelInboundHandlerAdapter() {
      @Override
      public void userEventTriggered(ChannelHandlerContext context, Object event) {
        events.add(event);
      }
    });
    last.waits(1);
    assertThat(events).hasOnlyElementsOfType(ShutdownEvent.class).hasSize(1);
    assertThat(last.isOpen()).isTrue();
  }

  @Test
  void withoutRoomANewConnectionIsClosedBeforeItsHandshake() throws Exception {
    for (int i = 0; i < MOST; i++) {
      Accepted busy = accept("10.0.0.1");
      Handshake.end(busy.pipeline()).orElseThrow().watch(new OpenRequest());
    }
    assertThat(accept("10.0.0.1").isOpen()).isFalse();
    assertThat(accept("10.0.0.2").isOpen()).isFalse();
  }

  /** A request without an answer. */
  private static final class OpenRequest implements OpenConnections.Requests {
    @Override
    public boolean areOpen() {
      return true;
    }

    @Override
    public long begun() {
      return 1;
    }
  }
}
