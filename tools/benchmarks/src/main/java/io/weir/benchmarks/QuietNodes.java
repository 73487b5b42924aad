package io.weir.benchmarks;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.state.connection.RedisConnections;
import io.weir.state.lane.RedisBucketStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Supplier;

/**
 * Many nodes with few callers each: a connection and a thread for each node, in one process. A node has as many charges
 * in flight as it has callers. Mutable; owned by the code that measures it.
 */
final class QuietNodes implements Contender {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final int SUBJECTS = 10_000;
  private static final int[] CALLERS = {1, 2, 4, 16};
  // No machine fills it in a run.
  private static final List<Demand> DEMANDS =
      List.of(Demand.of(new Bucket("requests", Scope.KEY, 1_000_000_000, 100_000)));

  private final String name;
  private final List<RedisConnections> connections = new ArrayList<>();
  private final Deque<RedisBucketStore> free = new ConcurrentLinkedDeque<>();

  private QuietNodes(String uri, int nodes, int callers) {
    this.name = "%d nodes, %d callers each".formatted(nodes, callers);
    List<RedisBucketStore> stores = new ArrayList<>();
    for (int i = 0; i < nodes; i++) {
      connections.add(RedisConnections.open(uri, TIMEOUT));
      stores.add(RedisBucketStore.of(connections.get(i), () -> false));
    }
    for (int i = 0; i < callers; i++) {
      free.addAll(stores);
    }
  }

  /** Measures one node with a single caller, then so many with few callers each. */
  static List<Measurement> measure(String uri, int nodes, Rounds rounds)
      throws InterruptedException {
    List<Measurement> all = new ArrayList<>(measure(uri, 1, 1, rounds));
    for (int callers : CALLERS) {
      all.addAll(measure(uri, nodes, callers, rounds));
    }
    ResultTable.print("Nodes", all, rounds.out());
    return all;
  }

  private static List<Measurement> measure(String uri, int nodes, int callers, Rounds rounds)
      throws InterruptedException {
    Map<String, Supplier<Contender>> contenders = new LinkedHashMap<>();
    contenders.put("nodes", () -> new QuietNodes(uri, nodes, callers));
    return rounds.measure(new Load(nodes * callers, SUBJECTS, false), contenders);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public CompletionStage<Boolean> ask(int subject) {
    RedisBucketStore node = free.removeFirst(); // mostly that of this thread
    return node.tryCharge(new Charge("acme", "k" + subject, 1, DEMANDS, 1))
        .whenComplete((answer, error) -> free.addFirst(node))
        .thenApply(QuietNodes::isAllowed);
  }

  private static boolean isAllowed(StoreAnswer answer) {
    return answer instanceof Decided decided && decided.decision() instanceof Allowed;
  }

  @Override
  public void close() {
    connections.forEach(RedisConnections::close);
  }
}
