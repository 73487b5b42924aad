package io.weir.providers.rule;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Bookings of requests to the providers of upstreams, for all nodes. Safe for use by many threads; never blocks. Every
 * returned stage completes: with an answer, or exceptionally with a
 * {@link io.weir.core.throttle.StoreUnavailableException}.
 */
public interface ProviderStore {
  /**
   * Ends bookings, and then books for the asking requests, in their order in each group.
   *
   * @param caller a queue, by a name without blanks and slashes. Without room, the callers that were answered so first
   *     come first
   */
  CompletionStage<Booking.BookingAnswer> book(
      Providers upstream, String caller, List<Booking.End> ends, List<Booking.Asking> asking);

  /**
   * Renews permits; returns for each whether it is held.
   *
   * @param members the id and the provider of each request, with a blank between
   */
  CompletionStage<List<Boolean>> renew(Providers upstream, Collection<String> members);

  /** Whether this node checks the health of an upstream's providers; if so, it does for this time from now. */
  CompletionStage<Boolean> watch(String upstream, String node, long leaseMillis);
}
