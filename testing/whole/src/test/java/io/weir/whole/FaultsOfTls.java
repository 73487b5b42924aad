package io.weir.whole;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.throttle.StoreUnavailableException;
import io.weir.testkit.FreePorts;
import io.weir.testkit.RedisProcess;
import io.weir.testkit.TestCertificate;

/** A Redis whose certificate is for another name. */
final class FaultsOfTls {
  private FaultsOfTls() {}

  static FaultRow wrongName() {
    int port = FreePorts.one();
    try (TestCertificate certificate = TestCertificate.of("another.example");
        RedisProcess redis = RedisProcess.withTls(port, certificate);
        FaultScene scene = new FaultScene(1, 1)) {
      String uri = "rediss://localhost:%d?ca=%s".formatted(port, certificate.certificate());
      assertThatThrownBy(() -> scene.with(uri))
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("localhost");
      return new FaultRow(-1, 0, 0, redis.ask("PING").equals("+PONG") ? 0 : 1, 0, 0, 0);
    }
  }
}
