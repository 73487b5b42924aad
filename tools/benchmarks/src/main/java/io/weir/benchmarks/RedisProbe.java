package io.weir.benchmarks;

import io.weir.state.connection.RedisConnections;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the statistics of Redis itself, on its own connection. */
public final class RedisProbe implements AutoCloseable {
  private final RedisConnections connections;

  RedisProbe(String uri) {
    connections = RedisConnections.open(uri, Duration.ofSeconds(30));
  }

  /** The CPU time of Redis in seconds, user and system, of all its threads. */
  public double cpuSeconds() {
    String info = connections.sync().info("cpu");
    return number(info, "used_cpu_user") + number(info, "used_cpu_sys");
  }

  /** The time that scripts and functions have taken, by Redis's own count, in microseconds. */
  double microsInScripts() {
    Matcher taken = Pattern.compile("cmdstat_(?:fcall|evalsha|eval):calls=\\d+,usec=(\\d+)")
        .matcher(connections.sync().info("commandstats"));
    return taken.results().mapToDouble(row -> Double.parseDouble(row.group(1))).sum();
  }

  /** The commands that Redis has executed; those of functions and scripts count, too. */
  public long commands() {
    return (long) number(connections.sync().info("stats"), "total_commands_processed");
  }

  /** Bytes that Redis has allocated. */
  public long usedMemory() {
    return (long) number(connections.sync().info("memory"), "used_memory");
  }

  /** Starts counting calls that hold Redis for longer than this. */
  void watchSlowCalls(long micros) {
    connections.sync().configSet("slowlog-log-slower-than", Long.toString(micros));
    connections.sync().slowlogReset();
  }

  /** The number of slow calls since then, at most 128. */
  long slowCalls() {
    return connections.sync().slowlogLen();
  }

  /** How long the longest of the last 128 of them held Redis, in microseconds; 0 if there is none. */
  long longestMicros() {
    return connections.sync().slowlogGet(128).stream()
        .mapToLong(call -> (Long) ((List<?>) call).get(2))
        .max()
        .orElse(0);
  }

  /** The number of keys. */
  public long keys() {
    return connections.sync().dbsize();
  }

  String version() {
    Matcher version =
        Pattern.compile("redis_version:(\\S+)").matcher(connections.sync().info("server"));
    return version.find() ? version.group(1) : "unknown";
  }

  public void clear() {
    connections.sync().flushall();
  }

  @Override
  public void close() {
    connections.close();
  }

  private static double number(String info, String field) {
    Matcher value = Pattern.compile(field + ":([0-9.]+)").matcher(info);
    if (!value.find()) {
      throw new IllegalStateException("INFO of Redis has no " + field);
    }
    return Double.parseDouble(value.group(1));
  }
}
