package io.weir.providers.store;

import io.weir.providers.rule.Booking;
import io.weir.providers.rule.Booking.Asking;
import io.weir.providers.rule.Booking.End;
import io.weir.providers.rule.ProviderStore;
import io.weir.providers.rule.Providers;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Bookings in the memory of one process: the specification of every other store. It keeps upstreams for ever. Mutable;
 * owned by one thread.
 */
final class InMemoryProviders implements ProviderStore {
  private static final long MICROS_PER_MILLI = 1000;

  private record Watch(String node, long until) {}

  private final LongSupplier clockMicros;
  private final Map<String, ModelUpstream> upstreams = new HashMap<>();
  private final Map<String, Watch> watches = new HashMap<>();

  InMemoryProviders(LongSupplier clockMicros) {
    this.clockMicros = clockMicros;
  }

  private ModelUpstream state(Providers upstream) {
    return upstreams.computeIfAbsent(upstream.name(), name -> new ModelUpstream());
  }

  @Override
  public CompletionStage<Booking.BookingAnswer> book(
      Providers upstream, String caller, List<End> ends, List<Asking> asking) {
    long now = clockMicros.getAsLong();
    ModelUpstream state = state(upstream);
    state.beginCall(upstream, now);
    state.marks.beginCall(
        caller, asking.stream().map(Asking::group).collect(Collectors.toSet()), now);
    List<Boolean> held = ends.stream().map(end -> state.end(upstream, end, now)).toList();
    ModelBooking call = new ModelBooking(state, upstream, caller, now);
    List<Booking> bookings = asking.stream().map(call::ask).toList();
    state.limit.endCall();
    return CompletableFuture.completedFuture(new Booking.BookingAnswer(
        held,
        bookings,
        state.inflight(),
        Math.toIntExact(call.limit()),
        state.open(upstream.all(), now)));
  }

  @Override
  public CompletionStage<List<Boolean>> renew(Providers upstream, Collection<String> members) {
    long now = clockMicros.getAsLong();
    return CompletableFuture.completedFuture(members.stream()
        .map(member -> state(upstream).renew(upstream, member, now))
        .toList());
  }

  @Override
  public CompletionStage<Boolean> watch(String upstream, String node, long leaseMillis) {
    long now = clockMicros.getAsLong();
    Watch holder = watches.get(upstream);
    boolean isFree = holder == null || holder.until <= now || holder.node.equals(node);
    if (isFree) {
      watches.put(upstream, new Watch(node, now + MICROS_PER_MILLI * leaseMillis));
    }
    return CompletableFuture.completedFuture(isFree);
  }
}
