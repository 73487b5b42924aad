package io.weir.adapters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Denied;
import io.weir.embedded.EmbeddedRedis;
import io.weir.library.AcquireRequest;
import io.weir.library.Hold;
import io.weir.library.Weir;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the page on embedding shows. */
@Tag("jdk")
final class EmbedIT {
  private static final int PORT = 6379;

  private int reports;

  private void report() {
    reports++;
  }

  @Test
  void aProgramAsks() {
    assumeTrue(isFree(), "something listens on 6379, the port of the page");
    try (EmbeddedRedis redis = EmbeddedRedis.start(EmbeddedRedis.Binary.BUNDLED, PORT);
        Weir first = Weir.builder(redis.uri())
            .policy(Path.of("../../examples/orders.yaml"))
            .open()) {
      assertThat(first.policy().revision()).isEqualTo(1);
      ask();
    }
  }

  private static boolean isFree() {
    try (ServerSocket socket = new ServerSocket(PORT)) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }

  private void ask() {
    try (Weir weir = Weir.connect("redis://localhost:6379")) {
      Decision decision = weir.blocking().tryAcquire("plain", "Orders");
      if (decision instanceof Denied denied) {
        System.out.println("again in " + denied.retryAfter());
      }
    }
    try (Weir weir = Weir.connect("redis://localhost:6379")) {
      try (Hold hold = weir.blocking().enter(AcquireRequest.of("plain", "Report"))) {
        if (hold.isAllowed()) {
          report();
        }
      }
      assertThat(reports).isEqualTo(1);
    }
  }
}
