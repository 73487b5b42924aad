package io.weir.state.inspect;

import io.lettuce.core.RedisException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Scope;
import io.weir.core.policy.Plan;
import io.weir.core.throttle.Failures;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.connection.Faults;
import io.weir.state.connection.RedisConnections;
import io.weir.state.wire.LuaLibrary;
import io.weir.state.wire.LuaScript;
import io.weir.state.wire.RedisKeys;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Reads the shared state for an operator: changes nothing. Methods that return no future block their caller. */
public final class StateInspector {
  private static final LuaScript SHOW = LuaLibrary.limiter(Map.of()).script("show");

  private static final String HELD = "held";
  private static final Pattern NAMED = Pattern.compile("weir:\\{.*?}:.*?:key:(.+):hold:(.+)");

  private final RedisConnections connections;

  public StateInspector(RedisConnections connections) {
    this.connections = connections;
  }

  /** Adds how many members a sorted set has, if it has some. */
  public void putCount(Map<String, String> fields, String name, String key, String what) {
    put(fields, name, count(key), what);
  }

  /**
   * The policy in force, as it was published.
   *
   * @param bursts the times to drain its buckets from full, for {@link #showAll}
   */
  public record Published(long revision, String name, String document, String bursts) {}

  /** The policy in force; empty if there is none. */
  public Optional<Published> policy() {
    try {
      Map<String, String> fields = new HashMap<>();
      connections
          .sync()
          .hmget(RedisKeys.POLICY, "revision", "name", "document", "bursts")
          .forEach(field -> field.ifHasValue(value -> fields.put(field.getKey(), value)));
      return Optional.ofNullable(fields.get("document"))
          .map(document -> new Published(
              Long.parseLong(fields.getOrDefault("revision", "0")),
              fields.getOrDefault("name", "policy"),
              document,
              fields.getOrDefault("bursts", "")));
    } catch (RedisException e) {
      throw cannotShow(RedisKeys.POLICY, e);
    }
  }

  /**
   * A state in words, followed by the standings of its owner's limits other than rates: counters by the name of the
   * limit, permits as {@code <limit>.held}. What is asked for before an answer is waited for goes to Redis together.
   *
   * @param state the key in Redis of a key's, a tenant's or the cluster's state
   * @param bursts as published
   * @param plans the plans with the limits
   * @return empty if nothing is used; fails with {@link StoreUnavailableException}
   */
  public CompletableFuture<Map<String, String>> showAll(
      String state, String bursts, List<Plan> plans) {
    String limits = LimitLines.of(plans.stream());
    CompletableFuture<Map<String, String>> all = asked(state, bursts, limits)
        .thenCombine(asked(RedisKeys.counters(state), bursts, limits), StateInspector::both);
    for (String permits : LimitLines.permits(plans.stream()).toList()) {
      all = all.thenCombine(
          asked(RedisKeys.permits(state, permits), bursts, limits),
          (fields, held) -> held.containsKey(HELD)
              ? both(fields, Map.of(permits + "." + HELD, held.getOrDefault(HELD, "")))
              : fields);
    }
    return all;
  }

  private static <V> Map<String, V> both(Map<String, V> first, Map<String, V> second) {
    Map<String, V> both = new LinkedHashMap<>(first);
    both.putAll(second);
    return both;
  }

  /**
   * The buckets among these that are leased and used, by their keys in Redis; otherwise like {@link #showAll}.
   *
   * @param tenant of the owner; of no matter for scope {@code cluster}
   * @param subject of the owner, for scope {@code key}
   */
  public CompletableFuture<Map<String, Map<String, String>>> showPools(
      Stream<Bucket> buckets, String tenant, String subject, String bursts) {
    return buckets
        .filter(bucket -> bucket.leased() || bucket.scope() == Scope.CLUSTER)
        .map(bucket -> RedisKeys.pool(bucket, tenant, subject))
        .distinct()
        .map(pool -> asked(pool, bursts, "")
            .thenApply(fields ->
                fields.isEmpty() ? Map.<String, Map<String, String>>of() : Map.of(pool, fields)))
        .reduce(
            CompletableFuture.completedFuture(Map.of()),
            (one, other) -> one.thenCombine(other, StateInspector::both));
  }

  /**
   * The holders of permits of a limit, with the end of each lease in microseconds, the longest first. Otherwise like
   * {@link #showAll}.
   *
   * @param state the key in Redis of the limit's owner
   */
  public CompletableFuture<Map<String, Long>> holders(String state, String limit, int most) {
    String key = RedisKeys.permits(state, limit);
    return failing(
        key,
        connections
            .ask(commands -> commands.zrevrangeWithScores(key, 0, most - 1L))
            .thenApply(found -> {
              Map<String, Long> holders = new LinkedHashMap<>();
              found.forEach(
                  holder -> holders.put(nameOf(holder.getValue()), (long) holder.getScore()));
              return holders;
            }));
  }

  // A hold whose id a service chose stands with its key: "k1/order-17".
  private static String nameOf(String holder) {
    Matcher parts = NAMED.matcher(holder);
    return parts.matches() ? parts.group(1) + "/" + parts.group(2) : holder;
  }

  /** Waits for what was asked for; throws {@link StoreUnavailableException} if it failed. */
  public static <T> T await(CompletableFuture<T> asked) {
    try {
      return asked.join();
    } catch (CompletionException e) {
      throw Failures.cause(e) instanceof StoreUnavailableException unavailable ? unavailable : e;
    }
  }

  private CompletableFuture<Map<String, String>> asked(String key, String... texts) {
    return failing(
        key,
        connections
            .ask(commands -> commands.<List<String>>eval(
                SHOW.source(), ScriptOutputType.MULTI, new String[] {key}, texts))
            .thenApply(StateInspector::fields));
  }

  private static <T> CompletableFuture<T> failing(String key, CompletableFuture<T> asked) {
    return asked.exceptionallyCompose(error -> CompletableFuture.failedFuture(
        Failures.cause(error) instanceof StoreUnavailableException away
            ? new StoreUnavailableException(
                away.fault(), "cannot show %s: %s".formatted(key, away.getMessage()), away)
            : error));
  }

  private static Map<String, String> fields(List<String> reply) {
    Map<String, String> fields = new LinkedHashMap<>();
    for (int i = 0; i < reply.size(); i += 2) {
      fields.put(reply.get(i), reply.get(i + 1));
    }
    return fields;
  }

  private long count(String key) {
    try {
      return connections.sync().zcard(key);
    } catch (RedisException e) {
      throw cannotShow(key, e);
    }
  }

  private static void put(Map<String, String> fields, String name, long count, String what) {
    if (count > 0) {
      fields.put(name, "%d %s".formatted(count, what));
    }
  }

  private static StoreUnavailableException cannotShow(String key, RedisException e) {
    return new StoreUnavailableException(
        Faults.of(e), "cannot show %s: %s".formatted(key, Faults.message(e)), e);
  }

  /**
   * The state of a key, a tenant or the cluster in words, as {@code lua/show.lua} shows it.
   *
   * @param key of Redis, see {@code docs/reference/redis.md}
   * @return empty if there is no such state: nothing is used
   * @throws StoreUnavailableException if Redis does not answer, or the key holds something else
   */
  public Map<String, String> show(String key) {
    try {
      RedisClusterCommands<String, String> commands = connections.sync();
      // On a Redis Cluster all keys of a script must be in one slot.
      String[] keys =
          connections.parts() == 1 ? new String[] {key, RedisKeys.POLICY} : new String[] {key};
      return fields(commands.eval(SHOW.source(), ScriptOutputType.MULTI, keys));
    } catch (RedisException e) {
      throw cannotShow(key, e);
    }
  }
}
