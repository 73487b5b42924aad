package io.weir.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import io.vertx.core.internal.VertxInternal;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A node that stops while its event loops are busy. */
final class StopIT {
  private static final String REQUEST = "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n";
  private static final int ANSWERED_WITHIN_MILLIS = 20_000;
  private static final int CONNECTIONS = 10;

  @Test
  void requestsThatHaveArrivedAreAnswered() throws Exception {
    CountDownLatch busy = new CountDownLatch(1);
    List<Socket> sockets = new ArrayList<>();
    try (NodeFixture fixture = new NodeFixture("buckets: []", FailureMode.DENY)) {
      try {
        Thread closing = closing(fixture.node(), fixture, sockets, busy);
        busy.countDown();
        for (Socket socket : sockets) {
          assertThat(NodeFixture.read(socket, ANSWERED_WITHIN_MILLIS))
              .startsWith("HTTP/1.1 200 ")
              .containsIgnoringCase("\nconnection: close");
          socket.close();
        }
        closing.join();
      } finally {
        busy.countDown(); // the fixture cannot close a node whose loops wait
      }
    }
  }

  // A thread that closes the node, while requests have arrived behind the tasks on which all its
  // event loops wait.
  private static Thread closing(
      Node node, NodeFixture fixture, List<Socket> sockets, CountDownLatch busy)
      throws IOException {
    for (int i = 0; i < CONNECTIONS; i++) {
      sockets.add(fixture.connect());
      ask(sockets.get(i));
    }
    loops(node).forEach(loop -> loop.execute(() -> awaitEnd(busy)));
    await().until(() -> loops(node).stream().allMatch(loop -> waiting(loop) == 0));
    sockets.forEach(socket -> NodeFixture.write(socket, REQUEST));
    Thread closing = new Thread(node::close);
    closing.start();
    // The task that ends its servers waits on an event loop, and follows on the others.
    await().until(() -> loops(node).stream().anyMatch(loop -> waiting(loop) > 0));
    return closing;
  }

  // The body is one object, without others in it.
  private static void ask(Socket socket) throws IOException {
    NodeFixture.write(socket, REQUEST);
    int next = socket.getInputStream().read();
    while (next != '}') {
      assertThat(next).as("the end of the connection").isNotNegative();
      next = socket.getInputStream().read();
    }
  }

  private static List<EventLoop> loops(Node node) {
    List<EventLoop> loops = new ArrayList<>();
    ((VertxInternal) node.vertx())
        .nettyEventLoopGroup()
        .forEach(loop -> loops.add((EventLoop) loop));
    return loops;
  }

  private static int waiting(EventLoop loop) {
    return ((SingleThreadEventExecutor) loop).pendingTasks();
  }

  private static void awaitEnd(CountDownLatch busy) {
    try {
      busy.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
