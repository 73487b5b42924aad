package io.weir.whole;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.cluster.SlotHash;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.wire.Partition;
import io.weir.testkit.ClockShim;
import io.weir.testkit.FaultProxy;
import io.weir.testkit.FreePorts;
import io.weir.testkit.RealTime;
import io.weir.testkit.RedisCluster;
import io.weir.testkit.RedisProcess;
import io.weir.testkit.RedisSentinels;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** All faults of Redis and of nodes, each with its promise. */
final class Faults {
  private static final int RATE = 100;
  private static final int CALLERS = 18;
  private static final Duration BEFORE = Duration.ofSeconds(2);
  private static final Duration AFTER = Duration.ofSeconds(2);
  private static final Duration SHORT = Duration.ofSeconds(2);
  private static final String KEY = "weir:" + tagOf("t0") + ":t0:key:k0";

  private Faults() {}

  /**
   * A fault.
   *
   * @param promise the promise to users
   * @param isQuick whether it runs in the group {@code faults}
   */
  record Fault(String name, String promise, boolean isQuick, Supplier<FaultRow> run) {
    @Override
    public String toString() {
      return name;
    }
  }

  /** A change that is made while callers send requests. */
  private interface Change {
    void make();
  }

  static List<Fault> all() {
    List<Fault> faults = new ArrayList<>();
    faults.addAll(ofOneRedis());
    faults.addAll(ofItsData());
    faults.addAll(ofTheNetwork());
    faults.addAll(ofManyRedis());
    faults.addAll(ofCallers());
    return faults;
  }

  private static List<Fault> ofOneRedis() {
    String shares = "shares: 80 to 105 % of the limit, no request fails";
    return List.of(
        new Fault(
            "Redis killed, back empty after 2 s",
            shares,
            true,
            () -> own(RedisProcess::kill, RedisProcess::restart)
                .atMost(105)
                .atLeast(80)
                .withoutFailures()),
        new Fault(
            "Redis killed, back with its data after 2 s",
            shares,
            false,
            () -> own(RedisProcess::kill, RedisProcess::restart, "--appendonly", "yes")
                .atMost(105)
                .atLeast(80)
                .withoutFailures()),
        new Fault(
            "Redis paused for 2 s (SIGSTOP)",
            shares,
            true,
            () -> own(RedisProcess::pause, RedisProcess::resume)
                .atMost(110)
                .atLeast(80)
                .withoutFailures()),
        new Fault(
            "Redis's clock one minute forward",
            "buckets drain at once: one burst more is admitted, no request fails",
            false,
            () -> clock(Duration.ofMinutes(1)).atMost(135).withoutFailures()),
        new Fault(
            "Redis's clock one minute back",
            "levels do not change: no more than the limit is admitted, no request fails",
            false,
            () -> clock(Duration.ofMinutes(-1)).atMost(110).atLeast(70).withoutFailures()),
        new Fault(
            "a node starts while Redis is away",
            "it starts with its copy of the policy, and limits by its share",
            false,
            Faults::startsWithoutRedis));
  }

  private static List<Fault> ofItsData() {
    return List.of(
        new Fault(
            "SCRIPT FLUSH",
            "no effect on callers",
            false,
            () -> once(redis -> redis.ask("SCRIPT FLUSH")).atMost(105).withoutFailures()),
        new Fault(
            "FUNCTION FLUSH",
            "no effect on callers",
            false,
            () -> once(redis -> redis.ask("FUNCTION FLUSH")).atMost(105).withoutFailures()),
        new Fault(
            "FLUSHALL",
            "used capacity is forgotten: one burst more is admitted; the policy is restored",
            true,
            () -> once(redis -> redis.ask("FLUSHALL")).atMost(160).withoutFailures()),
        new Fault(
            "DEL weir:policy",
            "the policy is restored, no other effect",
            false,
            () -> once(redis -> redis.ask("DEL weir:policy")).atMost(105).withoutFailures()),
        new Fault(
            "a state becomes a key of another type",
            "requests of its key get 503, none is admitted",
            false,
            () -> once(redis -> {
                  redis.ask("LPUSH weir:another x");
                  redis.ask("RENAME weir:another " + KEY);
                })
                .atMost(105)),
        new Fault(
            "a state is corrupted",
            "requests of its key get 503, none is admitted",
            false,
            () -> once(redis -> redis.ask("SET " + KEY + " broken")).atMost(105)),
        new Fault(
            "memory full (noeviction)",
            "503 for requests that need memory, at most the limit; recovers once there is memory",
            false,
            () -> asked("CONFIG SET maxmemory 1", "CONFIG SET maxmemory 0")
                .atMost(105)
                .recoveredWithin(Duration.ofSeconds(1))),
        new Fault(
            "memory is freed by eviction (allkeys-lru)",
            "refused at start, with the reason",
            true,
            () ->
                refused("noeviction", "--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru")),
        new Fault(
            "a permission is taken away (ACL)",
            "503 until it is back: an error is not an outage",
            false,
            () -> asked("ACL SETUSER default -fcall -evalsha -eval", "ACL SETUSER default +@all")
                .atMost(105)
                .recoveredWithin(Duration.ofSeconds(1))),
        new Fault(
            "the name in Redis's certificate is wrong (TLS)",
            "refused at start, with the reason",
            false,
            FaultsOfTls::wrongName));
  }

  private static List<Fault> ofTheNetwork() {
    return List.of(
        new Fault(
            "Redis answers 50 ms later",
            "answers are slower, no other effect",
            false,
            () -> proxied(proxy -> proxy.delay(Duration.ofMillis(50)), FaultProxy::heal)
                .atMost(105)),
        new Fault(
            "Redis answers 500 ms later",
            "shares, at most 120 % of the limit, no request fails",
            false,
            () -> proxied(proxy -> proxy.delay(Duration.ofMillis(500)), FaultProxy::heal)
                .atMost(120)
                .withoutFailures()),
        new Fault(
            "connections are cut in the middle of an answer, again and again",
            "shares, at most 120 % of the limit, no request fails",
            true,
            () -> proxied(proxy -> proxy.cutAfter(3000), FaultProxy::heal)
                .atMost(120)
                .withoutFailures()),
        new Fault(
            "the network drops all data, no connection is closed",
            "shares, at most 110 % of the limit, no request fails",
            false,
            () -> proxied(proxy -> proxy.stall(true), FaultProxy::heal)
                .atMost(110)
                .withoutFailures()),
        new Fault(
            "connections are closed in one direction only",
            "shares for a moment, at most 110 % of the limit, no request fails",
            false,
            () -> proxied(FaultProxy::halfClose, FaultProxy::heal).atMost(110).withoutFailures()),
        new Fault(
            "one node of three cannot reach Redis",
            "its share on top of the limit: at most 135 %, no request fails",
            false,
            Faults::partitioned));
  }

  private static List<Fault> ofManyRedis() {
    return List.of(
        new Fault(
            "the master becomes a read-only replica for 2 s",
            "shares, at most 110 % of the limit, no request fails",
            false,
            () -> {
              try (RedisProcess other = RedisProcess.start()) {
                return asked("REPLICAOF 127.0.0.1 " + other.port(), "REPLICAOF NO ONE")
                    .atMost(110)
                    .withoutFailures();
              }
            }),
        new Fault(
            "Sentinel: the master is killed",
            "shares until another master is elected (1 s, plus the time of Sentinel), no request fails",
            true,
            () -> {
              try (RedisSentinels sentinels = RedisSentinels.start(3)) {
                RedisProcess master = sentinels.master();
                return lasting(
                        sentinels.uri(),
                        Duration.ofSeconds(5),
                        master::kill,
                        () -> sentinels.awaitAnotherThan(master))
                    .atMost(110)
                    .recoveredWithin(Duration.ofSeconds(1))
                    .withoutFailures();
              }
            }),
        new Fault(
            "Cluster: a master of three is killed, 64 callers on 100 keys",
            "shares for its keys until its replica is master, no request fails",
            false,
            Faults::clusterFailover),
        new Fault(
            "Cluster: a slot moves to another master, under load",
            "requests wait meanwhile, or are decided by shares; no request fails",
            false,
            Faults::resharding));
  }

  private static List<Fault> ofCallers() {
    return List.of(
        new Fault(
            "9,500 connections to one node that send nothing",
            "no effect on other callers",
            false,
            () -> hostile(9_500, "").atMost(105).withoutFailures()),
        new Fault(
            "1000 half-sent requests to one node",
            "no effect on other callers",
            false,
            () -> hostile(1000, "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{")
                .atMost(105)
                .withoutFailures()),
        new Fault(
            "1000 callers of one node that send ten requests at once and never read",
            "others may be refused while its processor is busy, at most 1 % of them",
            false,
            () -> hostile(1000, "GET /v1/nothing HTTP/1.1\r\nHost: x\r\n\r\n".repeat(10))
                .atMost(105)
                .failedAtMost(1)),
        new Fault(
            "a node ends while it holds leases of a cluster bucket",
            "the leased capacity counts as used: at most the demand of 20 ms",
            false,
            () -> FaultsOfLeases.holderGone().atMost(100).atLeast(85).withoutFailures()));
  }

  // Three nodes, one key; the fault begins, lasts, and ends.
  private static FaultRow lasting(String uri, Duration time, Change begin, Change end) {
    return lasting(List.of(uri, uri, uri), time, begin, end);
  }

  private static FaultRow lasting(List<String> uris, Duration time, Change begin, Change end) {
    try (FaultScene scene = new FaultScene(1, RATE)) {
      uris.forEach(scene::with);
      scene.callers(CALLERS, 1);
      RealTime.pass(BEFORE);
      return measured(scene, time, begin, end, RATE);
    }
  }

  private static FaultRow measured(
      FaultScene scene, Duration time, Change begin, Change end, double opsPerSec) {
    long broken = scene.places("broken");
    long from = System.nanoTime();
    begin.make();
    RealTime.pass(time);
    end.make();
    long mended = System.nanoTime();
    RealTime.pass(AFTER);
    long to = System.nanoTime();
    scene.end();
    return FaultRow.of(scene, from, mended, to, opsPerSec, broken);
  }

  // The same with a Redis of its own.
  private static FaultRow own(
      Consumer<RedisProcess> begin, Consumer<RedisProcess> end, String... options) {
    try (RedisProcess redis = RedisProcess.start(options)) {
      return lasting(redis.uri(), SHORT, () -> begin.accept(redis), () -> end.accept(redis));
    }
  }

  private static FaultRow asked(String begin, String end) {
    return own(redis -> redis.ask(begin), redis -> redis.ask(end));
  }

  private static FaultRow once(Consumer<RedisProcess> change) {
    try (RedisProcess redis = RedisProcess.start()) {
      return lasting(redis.uri(), Duration.ZERO, () -> change.accept(redis), () -> {});
    }
  }

  private static FaultRow clock(Duration offset) {
    try (ClockShim shim = ClockShim.make();
        RedisProcess redis = RedisProcess.start(FreePorts.one(), shim.environment())) {
      return lasting(redis.uri(), SHORT, () -> shim.moveBy(offset), () -> {});
    }
  }

  private static FaultRow proxied(Consumer<FaultProxy> begin, Consumer<FaultProxy> end) {
    try (RedisProcess redis = RedisProcess.start();
        FaultProxy proxy = FaultProxy.before(redis.port())) {
      String uri = proxy.redisUri();
      return lasting(uri, SHORT, () -> begin.accept(proxy), () -> end.accept(proxy));
    }
  }

  private static FaultRow partitioned() {
    try (RedisProcess redis = RedisProcess.start();
        FaultProxy proxy = FaultProxy.before(redis.port())) {
      List<String> uris = List.of(redis.uri(), redis.uri(), proxy.redisUri());
      return lasting(uris, SHORT, () -> proxy.refuse(true), () -> proxy.refuse(false))
          .atMost(135)
          .withoutFailures();
    }
  }

  private static FaultRow refused(String reason, String... options) {
    try (RedisProcess redis = RedisProcess.start(options);
        FaultScene scene = new FaultScene(1, RATE)) {
      assertThatThrownBy(() -> scene.with(redis.uri()))
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining(reason);
      return new FaultRow(-1, 0, 0, 0, 0, 0, 0);
    }
  }

  private static FaultRow startsWithoutRedis() {
    try (RedisProcess redis = RedisProcess.start()) {
      Path copy = Files.createTempFile("weir-copy", ".yaml");
      try (FaultScene before = new FaultScene(1, RATE)) {
        before.with(redis.uri(), Optional.of(copy));
      }
      redis.kill();
      try (FaultScene scene = new FaultScene(1, RATE)) {
        scene.with(redis.uri(), Optional.of(copy)).callers(CALLERS, 1);
        RealTime.pass(BEFORE);
        return measured(scene, SHORT, () -> {}, redis::restart, RATE)
            .atMost(110)
            .atLeast(80)
            .withoutFailures();
      } finally {
        Files.deleteIfExists(copy);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static FaultRow clusterFailover() {
    int keys = 100;
    int rate = 10;
    try (RedisCluster cluster = RedisCluster.start(3, 1);
        FaultScene scene = new FaultScene(keys, rate)) {
      IntStream.range(0, 3).forEach(i -> scene.with(cluster.uri()));
      scene.callers(64, keys);
      RealTime.pass(BEFORE);
      RedisProcess master = cluster.masterOf(0);
      Duration failover = Duration.ofSeconds(Integer.getInteger("weir.faults.failover", 6));
      return measured(scene, failover, master::kill, () -> {}, keys * rate)
          .atMost(115)
          .recoveredWithin(Duration.ofSeconds(1))
          .withoutFailures();
    }
  }

  private static FaultRow resharding() {
    try (RedisCluster cluster = RedisCluster.start(2, 0)) {
      int slot = slotOf(tagOf("t0"));
      RedisProcess to = cluster.nodes().stream()
          .filter(node -> node.port() != cluster.masterOf(slot).port())
          .findFirst()
          .orElseThrow();
      return lasting(cluster.uri(), SHORT, () -> cluster.move(slot, to), () -> {})
          .atMost(110)
          .recoveredWithin(Duration.ofSeconds(1))
          .withoutFailures();
    }
  }

  private static FaultRow hostile(int connections, String text) {
    List<Socket> sockets = new ArrayList<>();
    try (RedisProcess redis = RedisProcess.start();
        FaultScene scene = new FaultScene(1, RATE)) {
      IntStream.range(0, 3).forEach(i -> scene.with(redis.uri()));
      scene.callers(CALLERS, 1);
      RealTime.pass(BEFORE);
      Change begin = () ->
          IntStream.range(0, connections).forEach(i -> sockets.add(opened(scene.port(0), text)));
      return measured(scene, SHORT, begin, () -> {}, RATE);
    } finally {
      sockets.forEach(Faults::close);
    }
  }

  private static Socket opened(int port, String text) {
    try {
      Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
      socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
      return socket;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String tagOf(String tenant) {
    return Partition.tag(Partition.of(tenant));
  }

  private static int slotOf(String tag) {
    return SlotHash.getSlot(tag);
  }
}
