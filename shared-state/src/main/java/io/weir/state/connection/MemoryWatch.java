package io.weir.state.connection;

import io.netty.util.concurrent.ScheduledFuture;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks once a second how much of its memory Redis has used; on a Redis Cluster the fullest master counts. Places may
 * fill three quarters of it: the rest is for the buckets of callers that do not wait. The memory is {@code maxmemory},
 * or all of the machine of Redis if that is not set. Safe for use by many threads; owned by the connections it uses.
 */
public final class MemoryWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MemoryWatch.class);
  private static final long EVERY_MILLIS = 1000;
  private static final int QUARTERS = 4;

  private final Link link;
  private final ScheduledFuture<?> looking;
  private volatile boolean isShort;
  private volatile boolean isRefused;
  private volatile boolean isEvicting;

  MemoryWatch(Link link) {
    this.link = link;
    this.looking =
        link.eventLoop().scheduleWithFixedDelay(this::look, 0, EVERY_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Whether no place should be made. If Redis does not answer, the last known value counts. */
  public boolean isShort() {
    return isShort;
  }

  @Override
  public void close() {
    looking.cancel(false);
  }

  private void look() {
    if (link.isConnected()) {
      var unused = link.info("memory").whenComplete(this::learn);
    }
  }

  private void learn(List<String> infos, @Nullable Throwable error) {
    if (error == null) {
      isShort = infos.stream().anyMatch(MemoryWatch::isShort);
      warnOfEviction(infos);
    } else if (error instanceof StoreUnavailableException known
        && known.fault() == StoreFault.REFUSED
        && !isRefused) {
      isRefused = true;
      LOG.warn(
          "Redis does not report how much memory it uses: places may fill it ({})",
          error.getMessage());
    }
  }

  private void warnOfEviction(List<String> infos) {
    Optional<String> found =
        infos.stream().flatMap(info -> eviction(info).stream()).findFirst();
    if (found.isPresent() && !isEvicting) {
      LOG.error("{}", found.get());
    }
    isEvicting = found.isPresent();
  }

  /** The problem if Redis evicts keys when it is full: limits would be forgotten. */
  static Optional<String> eviction(String info) {
    Map<String, String> fields = fields(info);
    String policy = fields.getOrDefault("maxmemory_policy", "noeviction");
    return number(fields, "maxmemory") == 0 || policy.equals("noeviction")
        ? Optional.empty()
        : Optional.of("Redis forgets limits when its memory is full: its maxmemory-policy is "
            + policy + " (expected: noeviction)");
  }

  static boolean isShort(String info) {
    Map<String, String> fields = fields(info);
    long most = number(fields, "maxmemory");
    long available = most > 0 ? most : number(fields, "total_system_memory");
    return available > 0 && number(fields, "used_memory") > available / QUARTERS * (QUARTERS - 1);
  }

  private static Map<String, String> fields(String info) {
    return info.lines()
        .map(line -> line.split(":", 2))
        .filter(parts -> parts.length == 2)
        .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1].strip(), (a, b) -> a));
  }

  private static long number(Map<String, String> fields, String name) {
    String value = fields.getOrDefault(name, "0");
    return value.matches("\\d{1,18}") ? Long.parseLong(value) : 0;
  }
}
