package io.weir.node.envoy;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.weir.state.assignment.RedisAssignments;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Bounds how many streams of an event loop a part of the shared state answers at a time. Those of a part that hangs wait
 * for each other, and not those of the others. Mutable; owned by its event loop.
 */
final class PartSemaphores {
  /** For each part. */
  private static final int AT_ONCE = 4;

  private final RedisAssignments shared;
  private final List<AsyncSemaphore> ofParts;

  PartSemaphores(Context context, RedisAssignments shared) {
    this.shared = shared;
    this.ofParts = IntStream.range(0, shared.parts())
        .mapToObj(part -> new AsyncSemaphore(context, AT_ONCE))
        .toList();
  }

  /** Runs a task with limits of a tenant, now or when another one has ended. */
  <T> Future<T> run(String tenant, Supplier<Future<T>> task) {
    return ofParts.get(shared.partOf(tenant)).run(task);
  }
}
