package io.weir.testkit;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An empty database of the one Redis that the tests of this JVM share; the server ends with the JVM. A test that stops,
 * configures or measures its server starts a {@link RedisProcess} of its own instead. Owned by the test that opened
 * it, and given back by {@link #close}, after all clients of the test.
 */
public final class RedisDatabase implements AutoCloseable {
  private static final int DATABASES = 1024;

  private static @Nullable RedisProcess server;
  private static int open;
  private static int opened;

  private final String uri;

  private RedisDatabase(String uri) {
    this.uri = uri;
  }

  /**
   * Opens a database.
   *
   * @throws IllegalStateException if a test has ended before its clients, which would disturb this one
   */
  public static synchronized RedisDatabase open() {
    RedisProcess redis = server();
    if (open == 0) {
      clear(redis);
    }
    open++;
    int number = opened++;
    return new RedisDatabase(number == 0 ? redis.uri() : redis.uri() + "/" + number);
  }

  /** The address for clients, which names the server and the database. */
  public String uri() {
    return uri;
  }

  @Override
  public void close() {
    synchronized (RedisDatabase.class) {
      open--;
    }
  }

  private static RedisProcess server() {
    RedisProcess running = server;
    if (running == null) {
      running = RedisProcess.start("--databases", Integer.toString(DATABASES));
      Runtime.getRuntime().addShutdownHook(new Thread(running::close, "shared-redis-end"));
      server = running;
    }
    return running;
  }

  private static void clear(RedisProcess redis) {
    try {
      RedisCluster.await(() -> clients(redis).lines().count() == 1, Duration.ofSeconds(10));
    } catch (IllegalStateException e) {
      throw new IllegalStateException("A test left clients of Redis behind: " + clients(redis), e);
    }
    redis.ask("FLUSHALL");
    redis.ask("SCRIPT FLUSH");
    redis.ask("CONFIG RESETSTAT");
    opened = 0;
  }

  // The client that asks is one of them.
  private static String clients(RedisProcess redis) {
    return redis.ask("CLIENT LIST");
  }
}
