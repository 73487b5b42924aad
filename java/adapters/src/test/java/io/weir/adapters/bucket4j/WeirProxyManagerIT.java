package io.weir.adapters.bucket4j;

import io.github.bucket4j.tck.AbstractDistributedBucketTest;
import io.github.bucket4j.tck.ProxyManagerSpec;
import io.weir.state.connection.RedisConnections;
import io.weir.testkit.RedisDatabase;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Bucket4j's own tests of what it calls a proxy manager. */
@Tag("embedding")
final class WeirProxyManagerIT extends AbstractDistributedBucketTest {
  private static final RedisDatabase DATABASE = RedisDatabase.open();
  private static final RedisConnections REDIS =
      RedisConnections.open(DATABASE.uri(), Duration.ofMinutes(1));

  @BeforeAll
  static void set() {
    specs = List.of(new ProxyManagerSpec<>(
            "Weir", () -> UUID.randomUUID().toString(), () -> WeirProxyManager.builder(REDIS))
        .checkExpiration());
  }

  @AfterAll
  static void close() {
    REDIS.close();
    DATABASE.close();
  }
}
