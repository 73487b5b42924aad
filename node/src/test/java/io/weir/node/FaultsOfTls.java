package io.weir.node;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.testkit.CommandRun;
import io.weir.testkit.FreePorts;
import io.weir.testkit.RedisProcess;
import io.weir.throttle.StoreUnavailableException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** A Redis whose certificate is of another name. */
final class FaultsOfTls {
  private FaultsOfTls() {}

  static FaultRow wrongName() {
    try {
      Path folder = Files.createTempDirectory("weir-tls");
      try {
        return wrongName(folder);
      } finally {
        for (String name : new String[] {"key.pem", "cert.pem", ""}) {
          Files.deleteIfExists(folder.resolve(name));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static FaultRow wrongName(Path folder) {
    Path key = folder.resolve("key.pem");
    Path certificate = folder.resolve("cert.pem");
    CommandRun made = CommandRun.of(
        Duration.ofSeconds(20),
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=another.example",
        "-keyout",
        key.toString(),
        "-out",
        certificate.toString());
    assumeTrue(made.succeeded(), "skipped: no openssl: " + made.output());
    int port = FreePorts.one();
    try (RedisProcess redis = RedisProcess.start(
            FreePorts.one(),
            Map.of(),
            "--tls-port",
            Integer.toString(port),
            "--tls-cert-file",
            certificate.toString(),
            "--tls-key-file",
            key.toString(),
            "--tls-ca-cert-file",
            certificate.toString(),
            "--tls-auth-clients",
            "no");
        FaultScene scene = new FaultScene(1, 1)) {
      String uri = "rediss://localhost:%d?ca=%s".formatted(port, certificate);
      assertThatThrownBy(() -> scene.with(uri))
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("localhost");
      return new FaultRow(-1, 0, 0, redis.port() > 0 ? 0 : 1, 0, 0, 0);
    }
  }
}
