package io.weir.client.vertx;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.client.HttpRequest;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import io.weir.client.ScriptedServer;
import io.weir.client.retry.RetryLaterException;
import io.weir.client.retry.RetryListener;
import io.weir.client.retry.RetryOptions;
import java.net.ConnectException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Retries of Vert.x's web client. */
@Timeout(30)
final class RetryingWebClientIT {
  private final Vertx vertx = Vertx.vertx();
  private final WebClient client = WebClient.create(vertx);
  private final RetryingWebClient retrying =
      RetryingWebClient.of(vertx, RetryOptions.DEFAULT, RetryListener.NONE);

  @AfterEach
  void stop() throws Exception {
    vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
  }

  @Test
  void theWaitIsKeptAndTheTicketShown() throws Exception {
    try (ScriptedServer server = new ScriptedServer((turn, exchange) -> {
      if (turn == 0) {
        ScriptedServer.answer(
            exchange, 429, "no", "Retry-After", "1", "Retry-After-Ms", "120", "Retry-Ticket", "t1");
      } else {
        ScriptedServer.answer(exchange, 200, "done");
      }
    })) {
      HttpRequest<Buffer> request =
          client.postAbs(server.uri("/x?secret=1").toString()).putHeader("Prefer", "respond-async");
      HttpResponse<Buffer> answer =
          join(retrying.send(request, it -> it.sendBuffer(Buffer.buffer("a"))));
      assertThat(answer.bodyAsString()).isEqualTo("done");
      assertThat(server.requests.get(0).get("Prefer"))
          .isEqualTo(List.of("respond-async", "retry-ticket"));
      assertThat(server.requests.get(1).get("Retry-Ticket")).isEqualTo(List.of("t1"));
      assertThat(server.cameNanos.get(1) - server.cameNanos.get(0))
          .isGreaterThanOrEqualTo(120_000_000);
      assertThat(request.headers().contains("Retry-Ticket")).isFalse();
    }
  }

  @Test
  void aWaitThatIsTooLongFailsTheFuture() throws Exception {
    try (ScriptedServer server = new ScriptedServer(
        (turn, exchange) -> ScriptedServer.answer(exchange, 429, "no", "Retry-After", "3600"))) {
      Future<HttpResponse<Buffer>> answer =
          retrying.send(client.getAbs(server.uri("/x").toString()));
      assertThat(answer
              .toCompletionStage()
              .handle((value, error) -> error)
              .toCompletableFuture()
              .get(10, TimeUnit.SECONDS))
          .isInstanceOf(RetryLaterException.class);
    }
  }

  @Test
  void aConnectionThatIsClosedIsTriedAgain() throws Exception {
    try (ScriptedServer server = new ScriptedServer((turn, exchange) -> {
      if (turn > 0) {
        ScriptedServer.answer(exchange, 200, "done");
      } // otherwise it closes the connection
    })) {
      HttpResponse<Buffer> answer =
          join(retrying.send(client.getAbs(server.uri("/x").toString())));
      assertThat(answer.bodyAsString()).isEqualTo("done");
    }
  }

  @Test
  void anUnreachableServerIsTriedFiveTimes() throws Exception {
    ScriptedServer server = new ScriptedServer((turn, exchange) -> {});
    String gone = server.uri("/x").toString();
    server.close();
    Future<HttpResponse<Buffer>> answer = retrying.send(client.getAbs(gone));
    assertThat(answer
            .toCompletionStage()
            .handle((value, error) -> error)
            .toCompletableFuture()
            .get(10, TimeUnit.SECONDS))
        .isInstanceOf(ConnectException.class);
  }

  private static <T> T join(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
  }
}
