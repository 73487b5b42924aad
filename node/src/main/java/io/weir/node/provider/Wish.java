package io.weir.node.provider;

import io.weir.upstream.Providers;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * A request that wants to be sent to one of several providers.
 *
 * @param key whose request it is: the id of an API key
 * @param group of its operation
 * @param before where it was sent to, {@code provider/key}
 * @param mayProbe whether it is sent again if a provider fails it: such requests try providers whose breaker is open first
 * @param deadlineNanos until when it waits
 * @param isGone whether nobody waits for it any more
 */
public record Wish(
    Providers upstream,
    String key,
    String tenant,
    String group,
    List<String> before,
    boolean mayProbe,
    long deadlineNanos,
    BooleanSupplier isGone) {
  public Wish {
    before = List.copyOf(before);
  }
}
