package io.weir.providers.queue;

import io.weir.node.upstream.OutgoingRequest.Caller;
import io.weir.providers.rule.Providers;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * A request that waits to be sent to one of several providers.
 *
 * @param group of its operation
 * @param before the key slots that it was sent by, {@code provider/key}
 * @param mayProbe whether it is sent again if a provider fails it: such requests try providers whose breaker is open
 *     first
 * @param patience how long it waits
 */
public record SlotRequest(
    Providers upstream,
    Caller caller,
    String group,
    List<String> before,
    boolean mayProbe,
    Patience patience) {

  /**
   * The bounds of a wait for a turn.
   *
   * @param deadlineNanos the latest time for its turn
   * @param isGone whether its caller has hung up
   */
  public record Patience(long deadlineNanos, BooleanSupplier isGone) {}

  public SlotRequest {
    before = List.copyOf(before);
  }
}
