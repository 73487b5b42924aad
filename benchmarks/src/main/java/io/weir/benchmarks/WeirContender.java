package io.weir.benchmarks;

import io.weir.bucket.Bucket;
import io.weir.bucket.Draw;
import io.weir.bucket.Scope;
import io.weir.decision.Decision.Allowed;
import io.weir.slot.SlotRules;
import io.weir.slot.TicketRequest;
import io.weir.state.redis.RedisBucketStore;
import io.weir.state.redis.RedisConnections;
import io.weir.throttle.Charge;
import io.weir.throttle.StoreAnswer;
import io.weir.throttle.StoreAnswer.Decided;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

/** Weir's store on Redis, with so many buckets a decision. Mutable; owned by whoever measures it. */
final class WeirContender implements Contender {
  /** What a subject is asked for. */
  enum Mode {
    /** Everything is admitted. */
    ADMITTED,
    /** Everything is denied by Redis: each time another operation than the one just denied. */
    DENIED,
    /** Everything is denied, and the node knows. */
    KNOWN
  }

  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final List<String> NAMES =
      List.of("second", "minute", "day", "hour", "week", "month", "year", "burst");
  private static final int SUBJECTS = 10_000;
  private static final long ADMITTED_BEFORE = 1000;

  private final String name;
  private final Mode mode;
  private final RedisConnections connections;
  private final RedisBucketStore store;
  private final List<List<Draw>> operations;
  private final List<String> subjects =
      IntStream.range(0, SUBJECTS).mapToObj(i -> "k" + i).toList();
  private final boolean[] turns = new boolean[SUBJECTS];

  WeirContender(String uri, int buckets, Mode mode) {
    this.name = "Weir %d".formatted(buckets)
        + switch (mode) {
          case ADMITTED -> "";
          case DENIED -> ", denied by Redis";
          case KNOWN -> ", denied by the node";
        };
    this.mode = mode;
    this.connections = RedisConnections.open(uri, TIMEOUT);
    this.store = RedisBucketStore.of(connections);
    this.operations = List.of(draws(buckets, mode), draws(buckets, mode));
  }

  // One operation a second of nine millions, or one in 1000 seconds and no more.
  private static List<Draw> draws(int buckets, Mode mode) {
    List<Draw> draws = new ArrayList<>();
    for (int i = 0; i < buckets; i++) {
      Bucket bucket = mode == Mode.ADMITTED
          ? new Bucket(NAMES.get(i), Scope.KEY, 1000, Contenders.CAPACITY * 1000)
          : new Bucket(NAMES.get(i), Scope.KEY, 1, 1_000_000);
      draws.add(new Draw(bucket, Bucket.UNITS_PER_OPERATION));
    }
    return List.copyOf(draws);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public boolean admits() {
    return mode == Mode.ADMITTED;
  }

  @Override
  public CompletionStage<Boolean> prepare(int subject) {
    return ask(subject, mode == Mode.ADMITTED ? ADMITTED_BEFORE : 1, operations.get(0));
  }

  @Override
  public CompletionStage<Boolean> ask(int subject) {
    return ask(subject, 1, operations.get(mode == Mode.DENIED ? turn(subject) : 0));
  }

  private int turn(int subject) {
    turns[subject] = !turns[subject];
    return turns[subject] ? 1 : 0;
  }

  private CompletionStage<Boolean> ask(int subject, long cost, List<Draw> draws) {
    String id = subject < SUBJECTS ? subjects.get(subject) : "k" + subject;
    SlotRules slots = mode == Mode.ADMITTED ? SlotRules.DEFAULT : SlotRules.OFF;
    return store
        .tryCharge(new Charge("acme", id, 1, draws, cost, slots, TicketRequest.NONE))
        .thenApply(WeirContender::isAllowed);
  }

  @Override
  public void close() {
    connections.close();
  }

  private static boolean isAllowed(StoreAnswer answer) {
    return answer instanceof Decided decided && decided.decision() instanceof Allowed;
  }
}
