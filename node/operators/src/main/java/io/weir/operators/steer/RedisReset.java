package io.weir.operators.steer;

import io.weir.state.connection.RedisConnections;
import io.weir.state.connection.RedisLibrary;
import io.weir.state.wire.LuaLibrary;
import io.weir.state.wire.RedisKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Forgets what an owner of limits has used. Safe for use by many threads; failures are {@link
 * io.weir.core.throttle.StoreUnavailableException}.
 */
public final class RedisReset {
  /** Every bucket. */
  public static final String ALL = "*";

  private static final LuaLibrary LIBRARY = LuaLibrary.of("steer", List.of("reset"));
  private static final int FIELDS = 3;

  private final RedisLibrary library;

  public RedisReset(RedisConnections redis) {
    this.library = new RedisLibrary(redis, LIBRARY);
  }

  /**
   * The limits whose usage is to be forgotten.
   *
   * @param rates names of buckets, or {@link #ALL}
   * @param leased names of buckets of which leases are held
   * @param quotas names of quotas
   * @param queue whether all places and tickets are
   */
  public record What(List<String> rates, List<String> leased, List<String> quotas, boolean queue) {
    public What {
      rates = List.copyOf(rates);
      leased = List.copyOf(leased);
      quotas = List.copyOf(quotas);
    }
  }

  /**
   * The usage of one limit that was forgotten.
   *
   * @param kind {@code rate}, {@code quota} or {@code queue}
   * @param name of the limit; empty for what a key keeps of its callers
   * @param number of a rate the time until it would have been empty, in microseconds; of a quota its use; of a queue the
   *     bins with something due, or the open tickets
   */
  public record Forgotten(String kind, String name, long number) {}

  /**
   * Forgets it, unless it is a rehearsal, and tells what it was.
   *
   * @param state the key in Redis of a key's or a tenant's state
   */
  public CompletableFuture<List<Forgotten>> reset(String state, What what, boolean isRehearsal) {
    return library
        .run(
            "reset",
            keys(state, what),
            List.of(
                String.join(" ", what.rates()),
                String.join(" ", what.quotas()),
                what.queue() ? "1" : "0",
                isRehearsal ? "1" : "0"))
        .thenApply(answer -> {
          List<Forgotten> all = new ArrayList<>();
          for (int i = 0; i < answer.size(); i += FIELDS) {
            all.add(new Forgotten(
                (String) answer.get(i), (String) answer.get(i + 1), (Long) answer.get(i + 2)));
          }
          return all;
        });
  }

  private static List<String> keys(String state, What what) {
    List<String> keys =
        new ArrayList<>(List.of(state, RedisKeys.counters(state), RedisKeys.tickets(state)));
    what.leased().forEach(bucket -> keys.add(RedisKeys.leased(state, bucket)));
    return keys;
  }
}
