package io.weir.benchmarks.core;

import static java.util.Objects.requireNonNull;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Verdict;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.Policy;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.embedded.EmbeddedRedis;
import io.weir.inmemory.InMemoryBucketStore;
import io.weir.library.Weir;
import io.weir.state.connection.RedisConnections;
import io.weir.state.document.PolicyDocuments;
import io.weir.state.lane.RedisBucketStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** The work of a node for a decision, on one thread, with three buckets each. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class DecisionBenchmark {
  private static final String POLICY = """
      operations:
        - { name: List, match: { method: GET, path: /files } }
        - { name: Read, match: { method: GET, path: "/files/{id}" } }
        - { name: Write, match: { method: POST, path: "/files/{id}/parts/{part}" } }
      buckets:
        - { name: all, burstPeriodMs: 1000, throttleGroups: [{ opsPerSec: 100, operations: [List, Read, Write] }] }
      plans:
        basic: { buckets: [all] }
      subjects:
        k1: { tenant: acme, plan: basic }
      """;

  private static Charge charge(long milliOpsPerSec, long burstMillis) {
    List<Demand> demands = Stream.of("second", "minute", "day")
        .map(name -> new Bucket(name, io.weir.core.bucket.Scope.KEY, milliOpsPerSec, burstMillis))
        .map(bucket -> Demand.of(bucket))
        .toList();
    return new Charge("acme", "k1", 1, demands, 1);
  }

  /** The arithmetic alone. */
  @State(Scope.Thread)
  public static class Levels {
    private final Charge charge = charge(1000, 9_000_000_000L);
    private final Verdict verdict = charge.verdict();
    private final long[] used = {5, 50, 500};
  }

  /** Whether all three have room. */
  @Benchmark
  public Verdict.Outcome outcome(Levels levels) {
    return levels.verdict.outcome(levels.used);
  }

  /** A policy of three operations. */
  @State(Scope.Thread)
  public static class Rules {
    private final Policy policy = PolicyDocuments.parse("benchmark", POLICY).policy();
    private final List<String> path = List.of("files", "7", "parts", "3");
  }

  /** Finds the operation of a request. */
  @Benchmark
  public Optional<OperationRule> rule(Rules rules) {
    return rules.policy.rule("POST", rules.path);
  }

  /** Buckets in memory that are never full. */
  @State(Scope.Thread)
  public static class Memory {
    private long micros;
    private final BucketStore store = new InMemoryBucketStore(() -> ++micros);
    private final Charge charge = charge(1000, 9_000_000_000L);
  }

  /** A whole decision with the state in memory: the work of Redis, in Java. */
  @Benchmark
  public StoreAnswer admittedInMemory(Memory memory) {
    return memory.store.tryCharge(memory.charge).toCompletableFuture().join();
  }

  /** Buckets in Redis that are full for a thousand seconds. */
  @State(Scope.Thread)
  public static class Full {
    private final Charge charge = charge(1, 1_000_000);
    private @Nullable EmbeddedRedis redis;
    private @Nullable RedisConnections connections;
    private @Nullable BucketStore store;

    /** Uses up their capacity. */
    @Setup
    public void fill() throws IOException {
      redis = EmbeddedRedis.start(EmbeddedRedis.Binary.ANY, 0);
      connections = RedisConnections.open(redis.uri(), Duration.ofSeconds(5));
      store = RedisBucketStore.of(connections, () -> false);
      ask();
      ask();
    }

    private StoreAnswer ask() {
      return requireNonNull(store).tryCharge(charge).toCompletableFuture().join();
    }

    /** Stops Redis. */
    @TearDown
    public void end() {
      requireNonNull(connections).close();
      requireNonNull(redis).close();
    }
  }

  /** A denial that the node knows; once a second it asks Redis again. */
  @Benchmark
  public StoreAnswer deniedByTheNode(Full full) {
    return full.ask();
  }

  /** A bucket of the cluster that programs lease, under the demand of one thread. */
  @State(Scope.Thread)
  public static class Leased {
    private static final String POLICY = """
        operations: [{ name: Work, match: { path: /work } }]
        buckets:
          - { name: leased, scope: cluster, leased: true, burstPeriod: 1,
              throttleGroups: [{ opsPerSec: 1000000000, operations: [Work] }] }
        defaults: { plan: all }
        plans: { all: { buckets: [leased] } }
        subjects: [{ id: k1, tenant: acme }]
        """;

    private @Nullable EmbeddedRedis redis;
    private @Nullable Weir weir;

    /** Opens the library beside a Redis of its own, and takes the first lease. */
    @Setup
    public void open() throws IOException {
      redis = EmbeddedRedis.start(EmbeddedRedis.Binary.ANY, 0);
      Path policy = Files.createTempFile("weir-leased", ".yaml");
      Files.writeString(policy, POLICY);
      weir = Weir.builder(redis.uri()).policy(policy).open();
      Files.delete(policy);
      ask();
    }

    private Decision ask() {
      return requireNonNull(weir).tryAcquire("k1", "Work").toCompletableFuture().join();
    }

    /** Stops Redis. */
    @TearDown
    public void end() {
      requireNonNull(weir).close();
      requireNonNull(redis).close();
    }
  }

  /** A decision from a lease: no call to Redis but one in some milliseconds. */
  @Benchmark
  public Decision leased(Leased leased) {
    return leased.ask();
  }
}
