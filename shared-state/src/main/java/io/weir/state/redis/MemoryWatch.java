package io.weir.state.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks once a second how much of its memory Redis has used. Queues may fill three quarters of it: the rest is for the
 * buckets of those who do not wait. The memory is what {@code maxmemory} allows, or all of Redis's machine where that is
 * not set. Safe for use by many threads; owned by the connections it asks on.
 */
final class MemoryWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MemoryWatch.class);
  private static final long EVERY_MILLIS = 1000;
  private static final int QUARTERS = 4;

  private final StatefulRedisConnection<String, String> connection;
  private final ScheduledFuture<?> looking;
  private volatile boolean isShort;
  private volatile boolean isRefused;

  MemoryWatch(StatefulRedisConnection<String, String> connection, EventLoop loop) {
    this.connection = connection;
    this.looking = loop.scheduleWithFixedDelay(this::look, 0, EVERY_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Whether no place should be made. What was known last counts where Redis does not answer. */
  boolean isShort() {
    return isShort;
  }

  @Override
  public void close() {
    looking.cancel(false);
  }

  private void look() {
    if (connection.isOpen()) {
      connection.async().info("memory").whenComplete(this::learn);
    }
  }

  private void learn(String info, @Nullable Throwable error) {
    if (error == null) {
      isShort = isShort(info);
    } else if (error instanceof RedisCommandExecutionException && !isRefused) {
      isRefused = true;
      LOG.warn(
          "Redis does not tell how much memory it uses: queues may fill it ({})",
          error.getMessage());
    }
  }

  static boolean isShort(String info) {
    Map<String, String> fields = info.lines()
        .map(line -> line.split(":", 2))
        .filter(parts -> parts.length == 2)
        .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1].strip(), (a, b) -> a));
    long most = number(fields, "maxmemory");
    long available = most > 0 ? most : number(fields, "total_system_memory");
    return available > 0 && number(fields, "used_memory") > available / QUARTERS * (QUARTERS - 1);
  }

  private static long number(Map<String, String> fields, String name) {
    String value = fields.getOrDefault(name, "0");
    return value.matches("\\d{1,18}") ? Long.parseLong(value) : 0;
  }
}
