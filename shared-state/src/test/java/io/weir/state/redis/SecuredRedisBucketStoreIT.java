package io.weir.state.redis;

import io.weir.core.throttle.BucketStore;
import io.weir.state.connection.RedisConnections;
import io.weir.state.lane.RedisBucketStore;
import io.weir.state.testing.DocumentedUser;
import io.weir.testkit.BucketStoreContract;
import io.weir.testkit.FreePorts;
import io.weir.testkit.ManualClock;
import io.weir.testkit.RedisProcess;
import io.weir.testkit.TestCertificate;
import io.weir.testkit.TransportFacts;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The contract over TLS, with certificates on both sides, as the user of the documentation. */
@Tag("jdk")
@TransportFacts
@Tag("engine")
final class SecuredRedisBucketStoreIT extends BucketStoreContract {
  private static TestCertificate certificate;
  private static RedisProcess redis;
  private static RedisConnections connections;

  @BeforeAll
  static void start() throws IOException {
    certificate = TestCertificate.of("localhost");
    int port = FreePorts.one();
    redis = RedisProcess.withTls(port, certificate);
    Assumptions.assumeFalse(
        redis.ask("INFO server").contains("redis_version:6."), "Redis 7 or newer");
    redis.ask("ACL " + DocumentedUser.arguments());
    connections = RedisConnections.open(
        "rediss://weir:a-long-password@localhost:%d?ca=%s&certificate=%s&key=%s"
            .formatted(
                port, certificate.certificate(), certificate.certificate(), certificate.key()),
        Duration.ofSeconds(5));
  }

  @AfterAll
  static void stop() {
    if (connections != null) {
      connections.close();
    }
    redis.close();
    certificate.close();
  }

  @Override
  protected BucketStore emptyStore(ManualClock clock) {
    redis.ask("FLUSHALL");
    return RedisBucketStore.rehearsing(connections, clock);
  }
}
