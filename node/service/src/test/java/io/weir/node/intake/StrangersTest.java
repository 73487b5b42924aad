package io.weir.node.intake;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.weir.node.intake.Strangers.Stranger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Connections of services of one network leave some for others. */
final class StrangersTest {
  private final Vertx vertx = Vertx.vertx();
  private final Strangers strangers = new Strangers(vertx, 4, 4);

  @AfterEach
  void stop() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  @Test
  void servicesOfOneNetworkHaveHalfOfTheConnections() {
    Stranger first = service("10.0.0.1");
    service("10.0.0.1");
    assertThat(strangers.welcome("10.0.0.1", () -> {})).isEmpty();
    service("10.0.0.2");
    service("10.0.0.3");
    assertThat(strangers.welcome("10.0.0.4", () -> {})).isEmpty();
    first.closed();
    first.closed();
    service("10.0.0.4");
    assertThat(strangers.welcome("10.0.0.5", () -> {})).isEmpty();
  }

  private Stranger service(String network) {
    Stranger stranger = strangers.welcome(network, () -> {}).orElseThrow();
    stranger.isKnown();
    return stranger;
  }
}
