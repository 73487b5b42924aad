package io.weir.cluster.replay;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Rate;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Limit;
import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.policy.Plan;
import io.weir.core.policy.Policy;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Repeats recorded decisions and compares. A recording is a file of JSON lines: a header with the buckets, then one
 * decision per line; its units are Hedera's, a thousand to one of ours.
 */
public final class VectorReplay {
  private static final long HEDERA_UNITS = 1000;
  private static final long RECORDED_UNITS_PER_OPERATION = 1_000_000_000;
  private static final int MAX_SHOWN = 20;
  // Recorded instants may be in the past. Keys expire by Redis's own clock, so the replay runs in a
  // future that is equally far from each instant.
  private static final long SHIFT_MICROS = 3_000_000_000_000_000L;

  private final Plan plan;
  private final long split;
  private final BucketStore store;
  private final AtomicLong clock;
  private final List<String> differences = new ArrayList<>();
  private long decisions;
  private long differing;

  private VectorReplay(Plan plan, long split, BucketStore store, AtomicLong clock) {
    this.plan = plan;
    this.split = split;
    this.store = store;
    this.clock = clock;
  }

  /**
   * The result of a replay.
   *
   * @param decisions the number of compared decisions
   * @param differing the number of differences, including buckets of the header
   * @param shown the first differences, in words
   */
  public record Result(long decisions, long differing, List<String> shown) {}

  /**
   * Replays a recording.
   *
   * @param makeStore makes an empty store on a clock, in microseconds
   * @throws IllegalArgumentException if the recording cannot be understood
   */
  public static Result replay(
      Policy policy, Path vectors, Function<LongSupplier, BucketStore> makeStore)
      throws IOException {
    Plan plan = policy
        .defaultPlan()
        .orElseThrow(() -> new IllegalArgumentException(
            "the policy has no default plan (expected: defaults.plan, or no plans)"));
    try (BufferedReader lines = Files.newBufferedReader(vectors)) {
      JsonObject header =
          parse(vectors, 1, Optional.ofNullable(lines.readLine()).orElse(""));
      if (!"header".equals(header.getValue("kind"))) {
        throw new IllegalArgumentException(
            vectors + ":1: no header (expected: \"kind\": \"header\")");
      }
      AtomicLong clock = new AtomicLong();
      VectorReplay replay =
          new VectorReplay(plan, header.getLong("split", 1L), makeStore.apply(clock::get), clock);
      replay.compareBuckets(header.getJsonArray("buckets", new JsonArray()), policy.buckets());
      int number = 1;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        number++;
        if (!line.isBlank()) {
          replay.compare(number, parse(vectors, number, line));
        }
      }
      return new Result(replay.decisions, replay.differing, List.copyOf(replay.differences));
    }
  }

  private static JsonObject parse(Path vectors, int number, String line) {
    try {
      return new JsonObject(line);
    } catch (DecodeException e) {
      throw new IllegalArgumentException("%s:%d: no JSON object".formatted(vectors, number), e);
    }
  }

  private void compareBuckets(JsonArray expected, List<Bucket> buckets) {
    Map<String, Bucket> byName =
        buckets.stream().collect(Collectors.toMap(Bucket::name, bucket -> splitBucket(bucket)));
    for (Object entry : expected) {
      JsonObject recorded = (JsonObject) entry;
      Bucket bucket = byName.get(recorded.getString("name"));
      boolean same = bucket != null
          && bucket.rate().equals(Rate.ofMilliOpsPerSec(recorded.getLong("mtps")))
          && finest(bucket, bucket.capacityUnits()) == recorded.getLong("capacity") / HEDERA_UNITS;
      if (!same) {
        differ(1, "bucket", recorded.encode(), String.valueOf(bucket));
      }
    }
  }

  private void compare(int line, JsonObject recorded) {
    decisions++;
    clock.set(recorded.getLong("t_us") + SHIFT_MICROS);
    String operation = recorded.getString("op");
    if (!(plan.limit(operation) instanceof Limited limited)) {
      differ(line, "operation", operation, "no bucket of the policy limits it");
      return;
    }
    List<Demand> demands = limited.demands().stream()
        .map(demand -> Demand.of(splitBucket(demand.bucket()), demand.logicalOperations()))
        .toList();
    Charge charge = new Charge("replay", "replay", 1, demands, recorded.getLong("n"));
    Outcome outcome = ask(charge);
    Outcome expected = recorded(recorded);
    if (!outcome.equals(expected)) {
      differ(line, operation, expected.toString(), outcome.toString());
    }
  }

  private Bucket splitBucket(Bucket bucket) {
    return split == 1
        ? bucket
        : new Bucket(
            bucket.name(),
            bucket.scope(),
            finest(bucket, bucket.unitsPerMicro()) / split,
            bucket.burstMillis());
  }

  // In the units of the recording, millionths of a thousandth of an operation: as many drain each
  // microsecond as thousandths of operations are allowed per second.
  private static long finest(Bucket bucket, long units) {
    return Math.multiplyExact(units, RECORDED_UNITS_PER_OPERATION / bucket.unitsPerOperation());
  }

  private Outcome ask(Charge charge) {
    StoreAnswer answer = store.tryCharge(charge).toCompletableFuture().join();
    Decision decision = ((StoreAnswer.Decided) answer).decision();
    Map<String, Long> used = new HashMap<>();
    for (int i = 0; i < decision.limits().size(); i++) {
      Limit limit = decision.limits().get(i);
      used.put(limit.bucket(), finest(charge.demands().get(i).bucket(), limit.usedUnits()));
    }
    return decision.fold(
        allowed -> new Outcome(true, List.of(), 0, used),
        denied -> new Outcome(false, denied.full(), denied.retryAfterMicros(), used),
        never -> new Outcome(false, never.full(), -1, used));
  }

  private static Outcome recorded(JsonObject line) {
    Map<String, Long> used = new HashMap<>();
    line.getJsonObject("used")
        .forEach(entry ->
            used.put(entry.getKey(), ((Number) entry.getValue()).longValue() / HEDERA_UNITS));
    List<String> full =
        line.getJsonArray("full", new JsonArray()).stream().map(String::valueOf).toList();
    return new Outcome(line.getBoolean("allow"), full, line.getLong("wait_us", 0L), used);
  }

  private void differ(int line, String what, String expected, String found) {
    differing++;
    if (differences.size() < MAX_SHOWN) {
      differences.add("line %d, %s: %s (expected: %s)".formatted(line, what, found, expected));
    }
  }

  /** A recorded decision; the wait is −1 if the request can never pass. */
  private record Outcome(
      boolean allow, List<String> full, long waitMicros, Map<String, Long> used) {}
}
