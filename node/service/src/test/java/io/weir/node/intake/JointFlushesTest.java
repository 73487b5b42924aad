package io.weir.node.intake;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.net.impl.ConnectionBase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Answers of one connection of HTTP/2 that are ready together are sent by one call of the system. */
final class JointFlushesTest {
  private static final int ANSWERS = 40;

  private final Vertx vertx = Vertx.vertx();
  private final AtomicInteger flushes = new AtomicInteger();
  private final List<HttpServerRequest> open = new ArrayList<>();
  private final CompletableFuture<Context> allOpen = new CompletableFuture<>();
  private final CompletableFuture<Integer> listening = new CompletableFuture<>();

  @AfterEach
  void stop() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  @Test
  void answersThatAreReadyTogetherAreSentTogether() throws Exception {
    vertx.deployVerticle(new Answering());
    HttpClientAgent client = vertx.createHttpClient(
        new HttpClientOptions()
            .setProtocolVersion(HttpVersion.HTTP_2)
            .setHttp2ClearTextUpgrade(false),
        new PoolOptions().setHttp2MaxSize(1));
    int port = listening.get();
    List<Future<String>> answers = IntStream.range(0, ANSWERS)
        .mapToObj(number -> client
            .request(HttpMethod.GET, port, "127.0.0.1", "/" + number)
            .compose(request -> request.send())
            .compose(answer -> answer.body())
            .map(Object::toString))
        .toList();
    Context loop = allOpen.get();
    CompletableFuture<Integer> sent = new CompletableFuture<>();
    loop.runOnContext(ready -> {
      int before = flushes.get();
      open.forEach(request -> request.response().end(request.path()));
      // The flush of this turn follows in the next.
      loop.runOnContext(next -> loop.runOnContext(over -> sent.complete(flushes.get() - before)));
    });
    for (int i = 0; i < ANSWERS; i++) {
      assertThat(answers.get(i).toCompletionStage().toCompletableFuture().get()).isEqualTo("/" + i);
    }
    // An acknowledgement of the client's settings may be one more.
    assertThat(sent.get()).isBetween(1, 2);
  }

  /** Keeps all requests open. */
  private final class Answering extends VerticleBase {
    @Override
    public Future<?> start() {
      return vertx
          .createHttpServer()
          .connectionHandler(this::connected)
          .requestHandler(request -> {
            open.add(request);
            if (open.size() == ANSWERS) {
              allOpen.complete(context);
            }
          })
          .listen(0, "127.0.0.1")
          .onSuccess(server -> listening.complete(server.actualPort()));
    }

    private void connected(HttpConnection connection) {
      JointFlushes.on(connection);
      ((ConnectionBase) connection)
          .channel()
          .pipeline()
          .addFirst(new ChannelOutboundHandlerAdapter() {
            @Override
            public void flush(ChannelHandlerContext channel) {
              flushes.incrementAndGet();
              channel.flush();
            }
          });
    }
  }
}
