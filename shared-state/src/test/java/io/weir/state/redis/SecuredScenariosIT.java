package io.weir.state.redis;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.state.testing.DocumentedUser;
import io.weir.testkit.FreePorts;
import io.weir.testkit.Histories;
import io.weir.testkit.RedisProcess;
import io.weir.testkit.TestCertificate;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The generated histories over TLS, as the user of the documentation. */
@Tag("engine")
final class SecuredScenariosIT extends ScenariosContract {
  private TestCertificate certificate;
  private RedisProcess redis;

  SecuredScenariosIT() {
    super(2, 600, true);
  }

  @BeforeAll
  void start() throws IOException {
    assumeTrue(Histories.areThorough(), "the same Lua code as elsewhere: with -Pthorough");
    certificate = TestCertificate.of("localhost");
    int port = FreePorts.one();
    redis = RedisProcess.withTls(port, certificate);
    Assumptions.assumeFalse(
        redis.ask("INFO server").contains("redis_version:6."), "Redis 7 or newer");
    redis.ask("ACL " + DocumentedUser.arguments());
    connect(
        "rediss://weir:a-long-password@localhost:%d?ca=%s&certificate=%s&key=%s"
            .formatted(
                port, certificate.certificate(), certificate.certificate(), certificate.key()),
        redis.uri());
  }

  @AfterAll
  void stop() {
    if (redis != null) {
      redis.close();
      certificate.close();
    }
  }
}
