package io.weir.state.memory;

import io.weir.bucket.Scope;
import io.weir.throttle.Charge;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * All that a store remembers, by owner: of each key, each tenant and the cluster. What is empty is forgotten now and
 * then. Mutable; owned by its store.
 */
final class Memory {
  private static final int FIRST_SWEEP = 1024;

  private final Map<Object, State> states = new HashMap<>();
  private final Map<Object, PlaceQueue> queues = new HashMap<>();
  private final Map<Object, Map<String, Estimate>> estimates = new HashMap<>();
  private int sweepAt = FIRST_SWEEP;
  private long sweptRevision;

  /** The last moment that was told of a bucket without a place. */
  record Estimate(long milliOpsPerSec, long atMicros) {}

  /** Who owns the buckets of a scope. */
  static Object owner(Charge charge, Scope scope) {
    return switch (scope) {
      case KEY -> List.of(charge.tenant(), charge.subject());
      case TENANT -> List.of(charge.tenant());
      case CLUSTER -> List.of();
    };
  }

  State state(Object owner) {
    return states.getOrDefault(owner, new State(0, sweptRevision, Map.of()));
  }

  void put(Object owner, State state) {
    states.put(owner, state);
  }

  boolean hasQueue(Object owner) {
    return queues.containsKey(owner);
  }

  /** The queue of an owner; an empty one, not yet remembered, where nobody waits. */
  PlaceQueue queue(Object owner) {
    return queues.getOrDefault(owner, new PlaceQueue());
  }

  /** Remembers a queue, unless it is empty. */
  void put(Object owner, PlaceQueue queue) {
    if (queue.size() == 0) {
      queues.remove(owner);
    } else {
      queues.put(owner, queue);
    }
  }

  void endQueue(Object owner) {
    queues.remove(owner);
  }

  /** By bucket, the last moments that were told without a place. */
  Map<String, Estimate> estimates(Object owner) {
    return estimates.getOrDefault(owner, Map.of());
  }

  void put(Object owner, String bucket, Estimate told, long nowMicros) {
    Map<String, Estimate> all = estimates.computeIfAbsent(owner, any -> new HashMap<>());
    all.put(bucket, told);
    all.values().removeIf(one -> one.atMicros() <= nowMicros);
  }

  /** Forgets what is empty, whenever there is twice as much as before: it is as good as absent. */
  void sweep(long nowMicros) {
    if (size() < sweepAt) {
      return;
    }
    queues.values().removeIf(queue -> queue.isOver(nowMicros));
    estimates
        .values()
        .removeIf(all -> all.values().stream().allMatch(one -> one.atMicros() <= nowMicros));
    states.entrySet().removeIf(entry -> isForgotten(entry.getKey(), entry.getValue(), nowMicros));
    sweepAt = Math.max(FIRST_SWEEP, size() * 2);
  }

  private int size() {
    return states.size() + queues.size() + estimates.size();
  }

  private boolean isForgotten(Object owner, State state, long nowMicros) {
    boolean isEmpty = !queues.containsKey(owner)
        && state.buckets().values().stream()
            .allMatch(bucket -> bucket.at(nowMicros).withoutQueue().isForgettable());
    if (isEmpty) {
      // Forgotten with the state; an older revision must not decide for all that.
      sweptRevision = Math.max(sweptRevision, state.revision());
    }
    return isEmpty;
  }
}
