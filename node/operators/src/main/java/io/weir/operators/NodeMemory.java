package io.weir.operators;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.weir.core.decision.Decision;
import io.weir.node.admission.Witness;
import io.weir.operators.cases.CaseQuery;
import io.weir.operators.cases.Cases;
import io.weir.operators.denial.Denial;
import io.weir.operators.denial.DenialQuery;
import io.weir.operators.rehearsal.WouldDeny;
import io.weir.operators.top.Counts;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;

/** The memory of a node about its decisions, one for each event loop. Safe for use by many threads. */
public final class NodeMemory implements Witness, WouldDeny {
  private final LongSupplier nanos;
  private final Consumer<Denial> log;
  /** By the thread of their event loop. */
  private final Map<Thread, LoopMemory> loops = new ConcurrentHashMap<>();

  /** @param log also gets each denial that is remembered */
  NodeMemory(LongSupplier nanos, Consumer<Denial> log) {
    this.nanos = nanos;
    this.log = log;
  }

  /** Remembers the decisions of an event loop; called on it. */
  void begin(Context loop) {
    loops.put(Thread.currentThread(), new LoopMemory(loop, nanos, log));
  }

  @Override
  public Decision answered(Question question, Decision decision) {
    LoopMemory memory = loops.get(Thread.currentThread());
    return memory == null ? decision : memory.answered(question, decision);
  }

  @Override
  public void undecided(Question question, Throwable error) {
    LoopMemory memory = loops.get(Thread.currentThread());
    if (memory != null) {
      memory.undecided(question, error);
    }
  }

  @Override
  public void found(Found found) {
    LoopMemory memory = loops.get(Thread.currentThread());
    if (memory != null) {
      memory.wouldDeny(found);
    }
  }

  /** The denials that are asked for, the newest first. */
  public Future<List<Denial>> find(DenialQuery asked) {
    return Future.all(loops.values().stream().map(loop -> loop.find(asked)).toList())
        .map(all -> all.<List<Denial>>list().stream()
            .flatMap(Collection::stream)
            .sorted(
                Comparator.comparingLong((Denial it) -> it.event().atNanos()).reversed())
            .limit(asked.most())
            .toList());
  }

  /**
   * The cases that are asked for.
   *
   * @param time tells Redis's time at an instant of this process
   */
  Future<Cases> find(CaseQuery asked, LongFunction<Instant> time) {
    return Future.all(
            loops.values().stream().map(loop -> loop.find(asked, time)).toList())
        .map(all -> Cases.sum(all.list()));
  }

  /** The counts of the last minute. */
  Future<Counts> counts(int most) {
    return Future.all(loops.values().stream().map(loop -> loop.counts(most)).toList())
        .map(all -> Counts.sum(all.list(), most));
  }
}
