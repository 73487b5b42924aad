package io.weir.state.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.ScriptOutputType;
import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.state.lane.RedisBucketStore;
import io.weir.state.wire.LuaLibrary;
import io.weir.state.wire.RedisKeys;
import io.weir.testkit.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Commands as functions of a library. */
final class FunctionsIT {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final List<Demand> TEN =
      List.of(Demand.of(new Bucket("requests", Scope.KEY, 1000, 10_000)));

  private RedisProcess redis;
  private RedisConnections connections;
  private BucketStore store;

  @BeforeEach
  void start() {
    redis = RedisProcess.start();
    Assumptions.assumeFalse(
        redis.ask("INFO server").contains("redis_version:6."), "skipped: Redis 6 has none");
    connections = RedisConnections.open(redis.uri(), TIMEOUT);
    store = RedisBucketStore.of(connections, () -> false);
  }

  @AfterEach
  void stop() {
    if (connections != null) {
      connections.close();
    }
    redis.close();
  }

  @Test
  void aFlushedLibraryIsLoadedByTheNextCharge() {
    assertThat(charge()).isInstanceOf(Decision.Allowed.class);
    redis.ask("FUNCTION FLUSH");
    assertThat(charge()).isInstanceOf(Decision.Allowed.class);
    assertThat(names()).contains(LuaLibrary.limiter(Map.of()).name());
    assertThat(connections.functions().inWords()).isEqualTo("functions");
  }

  @Test
  void aFlushedLibraryIsLoadedByTheNextCommandThatIsNoCharge() {
    redis.ask("FUNCTION FLUSH");
    assertThat(keeper(0).report().toCompletableFuture().join()).isEmpty();
    assertThat(names()).contains(LuaLibrary.OPERATORS);
    assertThat(connections.functions().inWords()).isEqualTo("functions");
  }

  @Test
  void everyCommandIsListedWithItsDescription() {
    charge();
    List<Map<String, Object>> libraries =
        connections.sync().functionList(LuaLibrary.limiter(Map.of()).name());
    assertThat(libraries).hasSize(1);
    assertThat(String.valueOf(libraries.get(0).get("functions")))
        .contains("weir_charge_", "weir_settle_", "Decides charges on rates");
  }

  @Test
  void peopleShowAStateByTheSameNameInAllReleases() {
    charge();
    connections.sync().functionLoad(older(LuaLibrary.OPERATORS, "weir_show"), true);
    keeper(0).start();
    assertThat(keeper(0).report().toCompletableFuture().join()).isEmpty();
    List<Object> shown = connections
        .sync()
        .fcallReadOnly("weir_show", ScriptOutputType.MULTI, RedisKeys.key("acme", "k1"));
    assertThat(shown).contains("at_us", "revision");
  }

  @Test
  void aLibraryThatNoNodeNeedsIsDeletedAfterAnHour() {
    connections.sync().functionLoad(older("weir_limiter_old", "weir_charge_old"), true);
    long begin = 4_000_000_000_000_000L;
    assertThat(keeper(begin).report().toCompletableFuture().join()).isEmpty();
    assertThat(keeper(begin + minutes(59)).report().toCompletableFuture().join())
        .doesNotContain("weir_limiter_old");
    assertThat(names()).contains("weir_limiter_old");
    assertThat(keeper(begin + minutes(61)).report().toCompletableFuture().join())
        .contains("weir_limiter_old");
    assertThat(names()).doesNotContain("weir_limiter_old");
    assertThat(charge()).isInstanceOf(Decision.Allowed.class);
  }

  @Test
  void withoutThePermissionCommandsAreScripts() {
    redis.ask("ACL SETUSER limited on >secret allkeys allchannels +@all -fcall -function");
    try (RedisConnections limited = RedisConnections.open(
        redis.uri().replace("redis://", "redis://limited:secret@"), TIMEOUT)) {
      store = RedisBucketStore.of(limited, () -> false);
      assertThat(charge()).isInstanceOf(Decision.Allowed.class);
      assertThat(limited.functions().inWords()).startsWith("scripts (").contains("fcall");
    }
  }

  // Each charge brings a template that no other has. What Lua holds rises until its collector has
  // run, so the least of many readings is what is kept.
  @Test
  void manyTemplatesTakeBoundedMemory() {
    List<Long> readings = new ArrayList<>();
    for (int begin = 0; begin < 30_000; begin += 500) {
      chargeByNewTemplates(begin, 500);
      readings.add(bytesOfFunctions());
    }
    assertThat(Collections.min(readings.subList(30, 60))).isBetween(1L, 32L << 20);
  }

  @Test
  void functionsMayBeTurnedOff() {
    try (RedisConnections off = RedisConnections.open(redis.uri() + "?functions=off", TIMEOUT)) {
      redis.ask("CONFIG RESETSTAT");
      store = RedisBucketStore.of(off, () -> false);
      assertThat(charge()).isInstanceOf(Decision.Allowed.class);
      assertThat(redis.ask("INFO commandstats")).doesNotContain("cmdstat_fcall");
      assertThat(off.functions().inWords()).isEqualTo("scripts (functions=off)");
    }
  }

  // The library of another release.
  private static String older(String name, String function) {
    return "#!lua name=%s\nredis.register_function('%s', function() return 1 end)\n"
        .formatted(name, function);
  }

  private void chargeByNewTemplates(int begin, int count) {
    List<CompletableFuture<StoreAnswer>> asked = new ArrayList<>();
    for (int i = begin; i < begin + count; i++) {
      List<Demand> demands =
          List.of(Demand.of(new Bucket("requests" + i, Scope.KEY, 1000, 10_000)));
      asked.add(
          store.tryCharge(new Charge("acme", "k" + i % 100, 1, demands, 1)).toCompletableFuture());
    }
    asked.forEach(answer -> assertThat(answer.join()).isInstanceOf(StoreAnswer.Decided.class));
  }

  private long bytesOfFunctions() {
    return redis
        .ask("INFO memory")
        .lines()
        .filter(line -> line.startsWith("used_memory_vm_functions:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
        .sum();
  }

  private static long minutes(int minutes) {
    return Duration.ofMinutes(minutes).toNanos() / 1000;
  }

  private LibraryKeeper keeper(long nowMicros) {
    return new LibraryKeeper(
        connections,
        LuaLibrary.limiter(Map.of("now", "now_text")).script("libraries"),
        () -> List.of(Long.toString(nowMicros)));
  }

  private List<String> names() {
    return connections.sync().functionList().stream()
        .map(library -> String.valueOf(library.get("library_name")))
        .toList();
  }

  private Decision charge() {
    Charge charge = new Charge("acme", "k1", 1, TEN, 1);
    StoreAnswer answer = store.tryCharge(charge).toCompletableFuture().join();
    return ((StoreAnswer.Decided) answer).decision();
  }
}
