package io.weir.benchmarks;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.kind.CalendarPeriods;
import io.weir.core.kind.CalendarPeriods.Period;
import io.weir.core.kind.Extras;
import io.weir.core.kind.Hold;
import io.weir.core.kind.KindDemand;
import io.weir.core.kind.Permits;
import io.weir.core.kind.Quota;
import io.weir.core.policy.FailureMode;
import io.weir.core.slot.SlotMode;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Amount;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.state.connection.RedisConnections;
import io.weir.state.lane.RedisBucketStore;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** Weir's store on Redis, with a given number of buckets per decision. Mutable; owned by the code that measures it. */
final class WeirContender implements Contender {
  /** The kind of requests. */
  enum Mode {
    /** Everything is admitted. */
    ADMITTED,
    /** Everything is admitted; tickets are wanted in case of a denial. */
    WANTING,
    /** Everything is admitted, by a quota, permits and a reservation as well. */
    KINDS,
    /** Everything is denied, and makes a place in the queue. */
    PLACED,
    /** Everything is denied by Redis: each time with another operation than the last denied one. */
    DENIED,
    /** Everything is denied by the node, which knows the denial. */
    KNOWN
  }

  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final List<String> NAMES =
      List.of("second", "minute", "day", "hour", "week", "month", "year", "burst");
  private static final int SUBJECTS = 10_000;
  private static final long LEASE_MICROS = 1_000_000;
  private static final List<KindDemand> OTHERS = List.of(
      new Quota(
          "quota",
          Scope.KEY,
          Quota.MAX_LIMIT,
          new CalendarPeriods(Period.MONTH, ZoneOffset.UTC, 1),
          false,
          80,
          false,
          false),
      new Permits("permits", Scope.KEY, Permits.MAX_LIMIT, LEASE_MICROS));
  private static final long ADMITTED_PER_OPERATION = 100;
  private static final long ADMITTED_BEFORE = 1000;
  private static final long PLACED_BEFORE = 10;

  private final String name;
  private final Mode mode;
  private final RedisConnections connections;
  private final RedisBucketStore store;
  private final List<List<Demand>> operations;
  private final List<String> subjects =
      IntStream.range(0, SUBJECTS).mapToObj(i -> "k" + i).toList();
  private final boolean[] turns = new boolean[SUBJECTS];
  private final AtomicLong tickets = new AtomicLong();

  WeirContender(String uri, int buckets, Mode mode) {
    this(uri, buckets, mode, "");
  }

  /** The same where commands are sent as scripts. */
  static WeirContender asScripts(String uri, int buckets, Mode mode) {
    return new WeirContender(uri + "?functions=off", buckets, mode, ", as scripts");
  }

  private WeirContender(String uri, int buckets, Mode mode, String suffix) {
    this.name = "Weir %d".formatted(buckets)
        + switch (mode) {
          case ADMITTED -> "";
          case WANTING -> ", tickets wanted";
          case KINDS -> ", quota, permit and reservation";
          case PLACED -> ", a place made";
          case DENIED -> ", denied by Redis";
          case KNOWN -> ", denied by the node";
        }
        + suffix;
    this.mode = mode;
    this.connections = RedisConnections.open(uri, TIMEOUT);
    this.store = RedisBucketStore.of(connections, () -> false);
    this.operations = List.of(demands(buckets, mode), demands(buckets, mode));
  }

  // Admitted: three hundred million operations, draining at ten a second; no machine fills that in
  // a run. Placed: ten operations in 100 seconds. Otherwise: a single operation in 1000 seconds.
  private static List<Demand> demands(int buckets, Mode mode) {
    List<Demand> demands = new ArrayList<>();
    for (int i = 0; i < buckets; i++) {
      Bucket bucket = switch (mode) {
        case ADMITTED, WANTING, KINDS -> new Bucket(NAMES.get(i), Scope.KEY, 100, 30_000_000_000L);
        case PLACED -> new Bucket(NAMES.get(i), Scope.KEY, 100, 100_000);
        case DENIED, KNOWN -> new Bucket(NAMES.get(i), Scope.KEY, 1, 1_000_000);
      };
      demands.add(new Demand(
          bucket,
          mode == Mode.ADMITTED || mode == Mode.WANTING || mode == Mode.KINDS
              ? bucket.unitsPerOperation() / ADMITTED_PER_OPERATION
              : bucket.unitsPerOperation()));
    }
    return List.copyOf(demands);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public boolean admits() {
    return mode == Mode.ADMITTED || mode == Mode.WANTING || mode == Mode.KINDS;
  }

  @Override
  public CompletionStage<Boolean> prepare(int subject) {
    long cost = admits() ? ADMITTED_BEFORE : mode == Mode.PLACED ? PLACED_BEFORE : 1;
    return ask(subject, cost, operations.get(0));
  }

  @Override
  public CompletionStage<Boolean> ask(int subject) {
    return ask(subject, 1, operations.get(mode == Mode.DENIED ? turn(subject) : 0));
  }

  private int turn(int subject) {
    turns[subject] = !turns[subject];
    return turns[subject] ? 1 : 0;
  }

  private CompletionStage<Boolean> ask(int subject, long cost, List<Demand> demands) {
    String id = subject < SUBJECTS ? subjects.get(subject) : "k" + subject;
    return store
        .tryCharge(new Charge(
            "acme",
            id,
            1,
            new Amount(demands, cost, extras()),
            new Queueing(slots(), ticket()),
            FailureMode.DENY))
        .thenApply(WeirContender::isAllowed);
  }

  // One hold for each request, never ended: its lease expires before many have gathered.
  private Extras extras() {
    return mode == Mode.KINDS
        ? new Extras(
            OTHERS,
            Optional.of(
                new Hold("id%020d".formatted(tickets.incrementAndGet()), LEASE_MICROS, true, true)))
        : Extras.NONE;
  }

  private SlotMode slots() {
    return switch (mode) {
      case ADMITTED, WANTING, KINDS -> SlotMode.RESERVE;
      case PLACED -> SlotMode.RESERVE;
      case DENIED, KNOWN -> SlotMode.OFF;
    };
  }

  private TicketRequest ticket() {
    return mode == Mode.WANTING || mode == Mode.PLACED
        ? TicketRequest.wanted(Optional.empty(), "id%020d".formatted(tickets.incrementAndGet()))
        : TicketRequest.NONE;
  }

  @Override
  public void close() {
    connections.close();
  }

  private static boolean isAllowed(StoreAnswer answer) {
    return answer instanceof Decided decided && decided.decision() instanceof Allowed;
  }
}
