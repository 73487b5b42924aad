package io.weir.node.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.weir.node.answer.RefusedException;
import io.weir.state.connection.RedisConnections;
import io.weir.testkit.RedisProcess;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sessions that a node has not met, by a clock that stands still: nothing comes back with time. */
final class SessionsOfStrangersIT {
  private final SecureRandom random = new SecureRandom();
  private Vertx vertx;
  private RedisProcess redis;
  private RedisConnections connections;
  private HttpServer server;
  private HttpClient client;

  @BeforeEach
  void open() {
    vertx = Vertx.vertx();
    redis = RedisProcess.start();
    connections = RedisConnections.open(redis.uri(), Duration.ofMillis(500));
    Sessions sessions = new Sessions(
        vertx, new RedisSessions(connections), request -> Optional.of("192.0.2.1"), () -> 0);
    server = done(vertx
        .createHttpServer()
        .requestHandler(request -> sessions
            .csrf(request)
            .onSuccess(csrf -> request.response().end())
            .onFailure(error -> request
                .response()
                .setStatusCode(((RefusedException) error).problem().status())
                .end()))
        .listen(0, "127.0.0.1"));
    client = vertx.createHttpClient();
  }

  @AfterEach
  void close() {
    done(vertx.close());
    connections.close();
    redis.close();
  }

  private static <T> T done(Future<T> future) {
    return future
        .toCompletionStage()
        .toCompletableFuture()
        .orTimeout(30, TimeUnit.SECONDS)
        .join();
  }

  private Future<Integer> status() {
    return client
        .request(HttpMethod.GET, server.actualPort(), "127.0.0.1", "/v1/session")
        .compose(request -> request
            .putHeader("Cookie", "weir-session=" + SessionSecret.make(random).text())
            .send())
        .compose(response -> response.body().map(body -> response.statusCode()));
  }

  @Test
  void aQuestionThatRedisDoesNotAnswerCostsNothing() {
    assertThat(done(status())).isEqualTo(401);
    redis.kill();
    for (int i = 0; i < MissBudget.ADDRESS_BURST / 10; i++) {
      List<Future<Integer>> some = Stream.generate(this::status).limit(20).toList();
      assertThat(done(Future.all(some)).<Integer>list()).containsOnly(503);
    }
    redis.restart();

    await().atMost(Duration.ofMinutes(1)).until(() -> done(status()) == 401);
  }
}
