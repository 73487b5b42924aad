package io.weir.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A master with a replica, and Sentinels that promote the replica if the master is lost. Owned by the test that
 * started it, and ended by {@link #close}.
 */
public final class RedisSentinels implements AutoCloseable {
  /** The Sentinels' name of the master. */
  public static final String NAME = "main";

  private final List<RedisProcess> servers = new ArrayList<>();
  private final List<RedisProcess> sentinels = new ArrayList<>();

  private RedisSentinels() {}

  /** Starts all processes and returns when the Sentinels know each other and the replica has all data. */
  public static RedisSentinels start(int sentinels) {
    RedisSentinels started = new RedisSentinels();
    try {
      started.startAll(sentinels);
      return started;
    } catch (RuntimeException e) {
      started.close();
      throw e;
    }
  }

  /** The address for clients. */
  public String uri() {
    return sentinels.stream()
        .map(sentinel -> RedisProcess.HOST + ":" + sentinel.port())
        .collect(Collectors.joining(",", "redis+sentinel://", "/?master=" + NAME));
  }

  /** The present master, according to the Sentinels. */
  public RedisProcess master() {
    String found = sentinels.get(0).ask("SENTINEL MASTER " + NAME).isEmpty() ? "" : masterPort();
    return servers.stream()
        .filter(server -> Integer.toString(server.port()).equals(found))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no master"));
  }

  /** Waits until another server is the master. */
  public void awaitAnotherThan(RedisProcess former) {
    RedisCluster.await(() -> master().port() != former.port());
  }

  @Override
  public void close() {
    sentinels.forEach(RedisProcess::close);
    servers.forEach(RedisProcess::close);
  }

  private String masterPort() {
    String info = sentinels.get(0).ask("INFO sentinel");
    int at = info.indexOf("address=");
    return info.substring(info.indexOf(':', at) + 1, info.indexOf(',', at));
  }

  private void startAll(int count) {
    RedisProcess master = RedisProcess.start("--repl-diskless-sync-delay", "0");
    servers.add(master);
    RedisProcess replica = RedisProcess.start(
        "--replicaof", RedisProcess.HOST + " " + master.port(), "--repl-diskless-sync-delay", "0");
    servers.add(replica);
    RedisCluster.await(() -> replica.ask("INFO replication").contains("master_link_status:up"));
    for (int port : FreePorts.some(count)) {
      sentinels.add(RedisProcess.sentinel(
          port, """
          port %d
          bind 127.0.0.1
          sentinel monitor %s 127.0.0.1 %d %d
          sentinel down-after-milliseconds %s 1000
          sentinel failover-timeout %s 5000
          """.formatted(port, NAME, master.port(), count / 2 + 1, NAME, NAME)));
    }
    RedisCluster.await(() -> sentinels.stream().allMatch(sentinel -> {
      String info = sentinel.ask("INFO sentinel");
      return info.contains("slaves=1") && info.contains("sentinels=" + count);
    }));
  }
}
