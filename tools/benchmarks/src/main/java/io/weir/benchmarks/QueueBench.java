package io.weir.benchmarks;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.slot.SlotMode;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.state.connection.RedisConnections;
import io.weir.state.lane.RedisBucketStore;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Measures how long Redis works on a place, on a return with its ticket, and on a place in a long queue. Each figure is
 * the least of several rounds. Mutable; owned by the command.
 */
final class QueueBench implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  static final int ROUNDS = 7;
  private static final int KEYS = 200;
  private static final int LONG_QUEUE = 600;
  // The most that an operation may have.
  private static final int[] LONGEST = {1, 8, 32};
  // Takes so long to drain that no bucket has room again before its key asks.
  private static final int COST = 20;

  private final RedisProbe probe;
  private final RedisConnections connections;
  private final RedisBucketStore store;
  private final List<Sample> samples = new ArrayList<>();
  private long asked;

  private record Sample(String row, double micros, boolean isAsExpected) {}

  QueueBench(String uri, RedisProbe probe) {
    this.probe = probe;
    this.connections = RedisConnections.open(uri, TIMEOUT);
    this.store = RedisBucketStore.of(connections, () -> false);
  }

  /** A row: Redis's time for one, in each round. */
  record Row(String contender, List<Cost> samples) {}

  /** The time of Redis. */
  record Cost(double redisCpuMicros) {}

  /** Measures with functions, then with scripts. */
  static List<Row> runAll(String uri, RedisProbe probe, PrintWriter out, int rounds) {
    List<Row> rows = new ArrayList<>();
    for (String as : List.of("functions", "scripts")) {
      String suffix = as.equals("scripts") ? "?functions=off" : "";
      try (QueueBench bench = new QueueBench(uri + suffix, probe)) {
        bench.run(as, out, rounds);
        rows.addAll(bench.rows(as));
      }
    }
    return rows;
  }

  private List<Row> rows(String as) {
    return samples.stream()
        .map(Sample::row)
        .distinct()
        .map(row -> new Row(
            row + ", " + as,
            samples.stream()
                .filter(sample -> sample.row().equals(row))
                .map(sample -> new Cost(sample.micros()))
                .toList()))
        .toList();
  }

  private void run(String as, PrintWriter out, int rounds) {
    for (int round = 0; round < rounds; round++) {
      for (int buckets : new int[] {1, 3}) {
        oneByOne(buckets);
        together(buckets);
        wholeSeconds(buckets);
      }
      longQueue();
      for (int buckets : LONGEST) {
        longestCall(buckets, Scope.KEY);
        longestCall(buckets, Scope.TENANT);
      }
    }
    samples.stream().map(Sample::row).distinct().forEach(row -> print(as, row, out));
  }

  private void print(String as, String row, PrintWriter out) {
    List<Sample> all =
        samples.stream().filter(sample -> sample.row().equals(row)).toList();
    double least =
        all.stream().map(Sample::micros).min(Comparator.naturalOrder()).orElseThrow();
    long expected = all.stream().filter(Sample::isAsExpected).count();
    out.printf(
        "%-38s %-10s %8.1f us   %d of %d rounds as expected%n",
        row, as, least, expected, all.size());
    out.flush();
  }

  // 100 operations a second, a burst of 10 s, full: the slots come within a bin of 250 ms.
  private void oneByOne(int buckets) {
    List<Demand> demands = demands(buckets);
    probe.clear();
    each(key -> fill(key, demands));
    long began = System.nanoTime();
    List<StoreAnswer> places = timed(
        "place, %d buckets".formatted(buckets),
        () -> each(key -> ask(key, demands, COST, Optional.empty())),
        QueueBench::isPlace);
    List<Optional<String>> tickets = places.stream().map(QueueBench::ticket).toList();
    // Until all slots have come.
    long left = Math.max(1, 480 - (System.nanoTime() - began) / 1_000_000);
    CompletableFuture.runAsync(
            () -> {}, CompletableFuture.delayedExecutor(left, TimeUnit.MILLISECONDS))
        .join();
    timed(
        "return in time, %d buckets".formatted(buckets),
        () -> each(key -> ask(key, demands, COST, tickets.get(key))),
        QueueBench::isAllowed);
  }

  // The same by callers without tickets: they come back a second later.
  private void wholeSeconds(int buckets) {
    List<Demand> demands = demands(buckets);
    probe.clear();
    each(key -> fill(key, demands));
    timed(
        "place in a second, %d buckets".formatted(buckets),
        () -> each(key -> askWithoutTicket(key, demands, COST)),
        QueueBench::isPlace);
    CompletableFuture.runAsync(
            () -> {}, CompletableFuture.delayedExecutor(1000, TimeUnit.MILLISECONDS))
        .join();
    timed(
        "return in its second, %d buckets".formatted(buckets),
        () -> each(key -> askWithoutTicket(key, demands, COST)),
        QueueBench::isAllowed);
  }

  private void together(int buckets) {
    List<Demand> demands = demands(buckets);
    probe.clear();
    each(key -> fill(key, demands));
    timed(
        "place, %d buckets, many keys in a call".formatted(buckets),
        () -> atOnce(key -> ask(key, demands, COST, Optional.empty())),
        QueueBench::isPlace);
  }

  // Places of so many keys at once that calls are as long as they may be; a key's share of its
  // tenant's buckets counts, too.
  private void longestCall(int buckets, Scope scope) {
    List<Demand> demands = demands(buckets, scope);
    probe.clear();
    join(fill(0, demands));
    probe.watchSlowCalls(0);
    for (int i = 0; i < 3; i++) {
      atOnce(key -> ask(scope == Scope.KEY ? 0 : key, demands, 1, Optional.empty()));
    }
    samples.add(new Sample(
        "longest call, %d buckets of a %s"
            .formatted(buckets, scope.name().toLowerCase(Locale.ROOT)),
        probe.longestMicros(),
        true));
    probe.watchSlowCalls(10_000);
  }

  private void longQueue() {
    List<Demand> demands = demands(1);
    probe.clear();
    join(fill(0, demands));
    timed(
        "place in a queue of up to 600",
        () -> {
          List<StoreAnswer> answers = new ArrayList<>();
          for (int i = 0; i < LONG_QUEUE; i++) {
            answers.add(join(ask(0, demands, 1, Optional.empty())));
          }
          return answers;
        },
        QueueBench::isPlace);
  }

  private List<StoreAnswer> timed(
      String row, Supplier<List<StoreAnswer>> work, Function<StoreAnswer, Boolean> isExpected) {
    double before = probe.microsInScripts();
    List<StoreAnswer> answers = work.get();
    double micros = (probe.microsInScripts() - before) / answers.size();
    long expected = answers.stream().filter(isExpected::apply).count();
    boolean isAsExpected = expected >= answers.size() - 2;
    samples.add(new Sample(row, micros, isAsExpected));
    return answers;
  }

  private List<StoreAnswer> each(Function<Integer, CompletableFuture<StoreAnswer>> question) {
    List<StoreAnswer> answers = new ArrayList<>();
    for (int key = 0; key < KEYS; key++) {
      answers.add(join(question.apply(key)));
    }
    return answers;
  }

  private List<StoreAnswer> atOnce(Function<Integer, CompletableFuture<StoreAnswer>> question) {
    List<CompletableFuture<StoreAnswer>> answers = new ArrayList<>();
    for (int key = 0; key < KEYS; key++) {
      answers.add(question.apply(key));
    }
    return answers.stream().map(QueueBench::join).toList();
  }

  private CompletableFuture<StoreAnswer> fill(int key, List<Demand> demands) {
    return store.tryCharge(new Charge("acme", "k" + key, 1, demands, 1000)).toCompletableFuture();
  }

  private CompletableFuture<StoreAnswer> ask(
      int key, List<Demand> demands, long cost, Optional<String> shown) {
    TicketRequest ticket = TicketRequest.wanted(
        shown, "%010d%012d".formatted(ThreadLocalRandom.current().nextInt(1 << 30), ++asked));
    return store
        .tryCharge(new Charge("acme", "k" + key, 1, demands, cost)
            .with(new Queueing(SlotMode.RESERVE, ticket)))
        .toCompletableFuture();
  }

  private CompletableFuture<StoreAnswer> askWithoutTicket(
      int key, List<Demand> demands, long cost) {
    return store
        .tryCharge(
            new Charge("acme", "k" + key, 1, demands, cost).with(Queueing.of(SlotMode.RESERVE)))
        .toCompletableFuture();
  }

  private static StoreAnswer join(CompletableFuture<StoreAnswer> answer) {
    try {
      return answer.join();
    } catch (CompletionException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean isPlace(StoreAnswer answer) {
    return answer instanceof Decided decided
        && decided.decision() instanceof Denied denied
        && !denied.estimate();
  }

  private static boolean isAllowed(StoreAnswer answer) {
    return answer instanceof Decided decided && decided.decision() instanceof Allowed;
  }

  private static Optional<String> ticket(StoreAnswer answer) {
    return answer instanceof Decided decided && decided.decision() instanceof Denied denied
        ? denied.ticket()
        : Optional.empty();
  }

  private static List<Demand> demands(int buckets) {
    return demands(buckets, Scope.KEY);
  }

  private static List<Demand> demands(int buckets, Scope scope) {
    List<Demand> demands = new ArrayList<>();
    for (int i = 0; i < buckets; i++) {
      demands.add(Demand.of(new Bucket("b" + i, scope, 100_000, 10_000)));
    }
    return List.copyOf(demands);
  }

  @Override
  public void close() {
    connections.close();
  }
}
