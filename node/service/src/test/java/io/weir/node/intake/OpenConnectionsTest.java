package io.weir.node.intake;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.node.intake.OpenConnections.Connection;
import io.weir.node.intake.OpenConnections.Requests;
import io.weir.node.metrics.NodeMetrics;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The connection that is closed for a new one, at the bound. */
@Tag("isolation")
final class OpenConnectionsTest {
  private static final int MOST = 10;

  private final NodeMetrics metrics = new NodeMetrics();
  private final OpenConnections connections = new OpenConnections(MOST, metrics.connections());
  private final List<Peer> closed = new ArrayList<>();
  private int looks;

  /** A connection of a test. */
  private final class Peer implements Requests {
    private final String network;
    private boolean isOpen;
    private long begun;
    private Optional<Connection> counted = Optional.empty();

    Peer(String network) {
      this.network = network;
    }

    @Override
    public boolean areOpen() {
      looks++;
      return isOpen;
    }

    @Override
    public long begun() {
      return begun;
    }

    Peer open() {
      isOpen = true;
      begun++;
      return this;
    }

    @Override
    public String toString() {
      return network;
    }
  }

  private Peer connect(String network) {
    Peer peer = new Peer(network);
    peer.counted = connections.admit(network, () -> closed.add(peer));
    peer.counted.ifPresent(counted -> counted.watch(peer));
    return peer;
  }

  @Test
  void theOldestOfTheNetworkWithTheMostIsClosed() {
    Peer other = connect("10.0.0.1");
    List<Peer> hostile = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      hostile.add(connect("10.0.0.2"));
    }
    assertThat(closed).containsExactlyElementsOf(hostile.subList(0, 30 - MOST + 1));
    Peer late = connect("10.0.0.3");
    assertThat(late.counted).isPresent();
    assertThat(closed).doesNotContain(other, late).hasSize(30 - MOST + 2);
    assertThat(metrics.scrape())
        .contains("throttle_connections_displaced_total{outcome=\"closed\"} 22.0");
  }

  @Test
  void aConnectionWithAnOpenRequestStays() {
    List<Peer> open = new ArrayList<>();
    for (int i = 0; i < MOST; i++) {
      open.add(connect("10.0.0.2").open());
    }
    assertThat(connect("10.0.0.2").counted).isEmpty();
    assertThat(connect("10.0.0.1").counted).isEmpty();
    assertThat(closed).isEmpty();
    assertThat(metrics.scrape())
        .contains("throttle_connections_displaced_total{outcome=\"refused\"} 2.0");
    open.get(7).isOpen = false;
    // Each attempt looks at a few, and at others than the one before.
    Peer first = connect("10.0.0.1").open();
    Peer second = connect("10.0.0.3");
    assertThat(first.counted.or(() -> second.counted)).isPresent();
    assertThat(closed).containsExactly(open.get(7));
  }

  @Test
  void aConnectionThatWasUsedSinceTheLastLookIsClosedAfterOthers() {
    Peer used = connect("10.0.0.2");
    used.begun = 1;
    List<Peer> others = new ArrayList<>();
    for (int i = 1; i < MOST; i++) {
      others.add(connect("10.0.0.2"));
    }
    connect("10.0.0.3");
    assertThat(closed).containsExactly(others.get(0));
  }

  @Test
  void ifAllWereUsedTheOldestOfThoseLookedAtIsClosed() {
    List<Peer> pool = new ArrayList<>();
    for (int i = 0; i < MOST; i++) {
      Peer peer = connect("10.0.0.2");
      peer.begun = 1;
      pool.add(peer);
    }
    assertThat(connect("10.0.0.2").counted).isPresent();
    assertThat(closed).containsExactly(pool.get(0));
  }

  @Test
  void aNetworkTakesNoConnectionFromOneThatHasFewer() {
    connect("10.0.0.1");
    for (int i = 1; i < MOST; i++) {
      connect("10.0.0.2").open();
    }
    assertThat(connect("10.0.0.2").counted).isEmpty();
    assertThat(closed).isEmpty();
  }

  @Test
  void whereEachNetworkHasOneTheOldestIsClosed() {
    List<Peer> all = new ArrayList<>();
    for (int i = 0; i < MOST; i++) {
      all.add(connect("10.0.0." + i));
    }
    connect("10.0.1.1");
    connect("10.0.1.2");
    assertThat(closed).containsExactly(all.get(0), all.get(1));
  }

  @Test
  void closedConnectionsMakeRoomOnce() {
    Peer first = connect("10.0.0.1");
    first.counted.orElseThrow().closed();
    first.counted.orElseThrow().closed();
    for (int i = 0; i < MOST; i++) {
      connect("10.0.0.2");
    }
    assertThat(closed).isEmpty();
    connect("10.0.0.1");
    assertThat(closed).hasSize(1);
    closed.get(0).counted.orElseThrow().closed();
    connect("10.0.0.1");
    assertThat(closed).hasSize(2);
  }

  @Test
  void whateverHappensTheBoundIsKeptByFewLooks() {
    Random random = new Random(7);
    List<Peer> open = new ArrayList<>();
    for (int step = 0; step < 2_000; step++) {
      int before = closed.size();
      looks = 0;
      if (random.nextInt(4) > 0) {
        Peer peer = connect("10.0.0." + random.nextInt(1 + random.nextInt(40)));
        if (peer.counted.isPresent()) {
          open.add(peer);
        }
      } else if (!open.isEmpty()) {
        open.remove(random.nextInt(open.size())).counted.orElseThrow().closed();
      }
      assertThat(looks).isLessThanOrEqualTo(64);
      for (Peer gone : closed.subList(before, closed.size())) {
        assertThat(gone.isOpen).isFalse();
        assertThat(open.remove(gone)).isTrue();
      }
      assertThat(open.size()).isLessThanOrEqualTo(MOST);
      open.forEach(peer -> {
        peer.isOpen = random.nextBoolean();
        peer.begun += random.nextInt(2);
      });
    }
  }
}
