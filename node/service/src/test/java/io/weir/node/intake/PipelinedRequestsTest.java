package io.weir.node.intake;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.weir.node.metrics.NodeMetrics;
import io.weir.node.testing.NodeFixture;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Callers that send many requests without reading an answer, and others on the same event loop. */
@Tag("isolation")
final class PipelinedRequestsTest {
  private static final int HOSTILE = 30;
  private static final int PIPELINED = 300;
  private static final Pattern LENGTH = Pattern.compile("(?i)content-length: (\\d+)");

  // As those of the node: Netty's handlers for WebSocket end a connection with a long pipeline.
  private static final HttpServerOptions OPTIONS = new HttpServerOptions()
      .setHttp2ClearTextEnabled(false)
      .setPerFrameWebSocketCompressionSupported(false)
      .setPerMessageWebSocketCompressionSupported(false);

  private final NodeMetrics metrics = new NodeMetrics();
  private final Vertx vertx = Vertx.builder()
      .withTransport(
          new Acceptance(Integer.MAX_VALUE, Optional.empty(), metrics.connections()).transport())
      .build();
  private final Queue<String> served = new ConcurrentLinkedQueue<>();
  private final List<Socket> sockets = new ArrayList<>();
  private Context loop;
  private int port;

  @BeforeEach
  void start() throws Exception {
    CompletableFuture<Context> begun = new CompletableFuture<>();
    CompletableFuture<Integer> listening = new CompletableFuture<>();
    vertx.deployVerticle(new VerticleBase() {
      @Override
      public Future<?> start() {
        begun.complete(context);
        Intake intake = new Intake(
            vertx,
            List.of(),
            PipelinedRequestsTest.this::serve,
            () -> false,
            metrics.http(),
            Cors.NONE);
        return intake
            .of(vertx.createHttpServer(OPTIONS))
            .listen(0, "127.0.0.1")
            .onSuccess(server -> listening.complete(server.actualPort()));
      }
    });
    port = listening.get();
    loop = begun.get();
  }

  @AfterEach
  void stop() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private Future<Void> serve(HttpServerRequest request) {
    served.add(request.path());
    Future<Void> answered =
        request.body().compose(body -> request.response().end(request.path() + body));
    request.resume();
    return answered;
  }

  @Test
  void otherCallersAreServedBetweenTheRequestsOfPipelines() throws Exception {
    List<Caller> hostile = connect(HOSTILE);
    Caller other = connect(1).get(0);
    Runnable release = block();
    for (int i = 0; i < HOSTILE; i++) {
      hostile.get(i).send(get("/hostile" + i).repeat(PIPELINED));
    }
    other.send(get("/other"));
    release.run();
    assertThat(other.answer()).isEqualTo("/other");
    for (int i = 0; i < HOSTILE; i++) {
      for (int request = 0; request < PIPELINED; request++) {
        assertThat(hostile.get(i).answer()).isEqualTo("/hostile" + i);
      }
    }
    // All were there at the same time, so the first requests served are a few of each.
    assertThat(Set.copyOf(List.copyOf(served).subList(0, HOSTILE * PipelinedRequests.AT_ONCE + 1)))
        .hasSize(HOSTILE + 1);
  }

  @Test
  void aPipelineIsAnsweredWholeAndInItsOrder() throws Exception {
    Caller caller = connect(1).get(0);
    for (int i = 0; i < PIPELINED; i++) {
      String body = "x".repeat(i * 7 % 400);
      caller.send("POST /%d HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s"
          .formatted(i, body.length(), body));
    }
    for (int i = 0; i < PIPELINED; i++) {
      assertThat(caller.answer()).isEqualTo("/" + i + "x".repeat(i * 7 % 400));
    }
  }

  // While the event loop is blocked, what callers send waits in their connections.
  private Runnable block() throws InterruptedException {
    CountDownLatch isBlocked = new CountDownLatch(1);
    CountDownLatch isReleased = new CountDownLatch(1);
    loop.runOnContext(task -> {
      isBlocked.countDown();
      try {
        isReleased.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    });
    isBlocked.await();
    return isReleased::countDown;
  }

  // Each has had an answer, so that the server knows it.
  private List<Caller> connect(int count) throws IOException {
    List<Caller> connected = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
      sockets.add(socket);
      Caller caller = new Caller(socket, new BufferedInputStream(socket.getInputStream()));
      caller.send(get("/hello"));
      caller.answer();
      connected.add(caller);
    }
    served.clear();
    return connected;
  }

  private static String get(String path) {
    return "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n";
  }

  private record Caller(Socket socket, InputStream in) {
    void send(String requests) {
      NodeFixture.write(socket, requests);
    }

    /** The body of the next answer. */
    String answer() throws IOException {
      StringBuilder head = new StringBuilder();
      while (head.indexOf("\r\n\r\n") < 0) {
        int read = in.read();
        assertThat(read).isNotNegative();
        head.append((char) read);
      }
      Matcher length = LENGTH.matcher(head);
      assertThat(length.find()).isTrue();
      return new String(in.readNBytes(Integer.parseInt(length.group(1))), ISO_8859_1);
    }
  }
}
