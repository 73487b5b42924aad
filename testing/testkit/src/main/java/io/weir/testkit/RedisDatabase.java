package io.weir.testkit;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An empty database of the one Redis that the tests of this JVM share. A test that stops, configures or measures its
 * server starts a {@link RedisProcess} of its own instead, which is the same one if nobody has a database of it. Owned
 * by the test that opened it, and given back by {@link #close}, after all clients of the test.
 */
public final class RedisDatabase implements AutoCloseable {
  /** How many databases a server has. */
  static final int MOST = 1024;

  private static @Nullable RedisProcess server;
  private static int open;
  private static int opened;

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(RedisDatabase::end, "shared-redis-end"));
  }

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
    RedisProcess redis = server == null ? RedisProcess.start() : server;
    server = redis;
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

  /** Gives the server to the tests that have one for themselves, if nobody has a database of it. */
  static synchronized void lend() {
    RedisProcess unused = server;
    if (unused != null && open == 0) {
      awaitNoClients(unused);
      server = null;
      unused.close();
    }
  }

  private static synchronized void end() {
    if (server != null) {
      server.end();
    }
  }

  private static void clear(RedisProcess redis) {
    awaitNoClients(redis);
    redis.ask("FLUSHALL");
    redis.ask("SCRIPT FLUSH");
    redis.ask("CONFIG RESETSTAT");
    opened = 0;
  }

  private static void awaitNoClients(RedisProcess redis) {
    try {
      RedisCluster.await(() -> clients(redis).lines().count() == 1, Duration.ofSeconds(10));
    } catch (IllegalStateException e) {
      throw new IllegalStateException("A test left clients of Redis behind: " + clients(redis), e);
    }
  }

  // The client that asks is one of them.
  private static String clients(RedisProcess redis) {
    return redis.ask("CLIENT LIST");
  }
}
