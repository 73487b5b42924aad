package io.weir.state.hold;

import io.weir.core.bucket.Names;
import io.weir.core.bucket.Scope;
import io.weir.core.throttle.Ended;
import io.weir.core.throttle.Ended.Status;
import io.weir.core.throttle.Ending;
import io.weir.core.throttle.Ending.Settled;
import io.weir.core.throttle.Held;
import io.weir.core.throttle.Held.Permit;
import io.weir.core.throttle.HoldStore;
import io.weir.state.connection.RedisConnections;
import io.weir.state.connection.RedisLibrary;
import io.weir.state.wire.ChargeTemplate;
import io.weir.state.wire.RedisKeys;
import io.weir.state.wire.StoreClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** The holds of requests, in Redis. Safe for use by many threads; never blocks. */
public final class RedisHolds implements HoldStore {
  // Codes of lib/codes.lua.
  private static final int SETTLED = 1;
  private static final int CANCELLED = 2;
  private static final int EXPIRED = 3;
  private static final int RELEASED = 4;
  private static final double LATER_MICROS = 60_000_000;
  private static final String MOST_EXPIRED = "100";
  private static final Pattern HOLD =
      Pattern.compile("weir:\\{\\w+\\}:([^:]+):key:([^:]+):hold:([^:]+)");
  private static final Pattern PERMIT = Pattern.compile("(?:^|;)p (\\d) ([^ ]+) [^;]*");
  private static final Pattern LEASE = Pattern.compile("^open \\d+ \\d \\d+ \\d+ (\\d+)");
  private static final List<Scope> SCOPES = List.of(Scope.KEY, Scope.TENANT, Scope.CLUSTER);

  private final RedisConnections redis;
  private final RedisLibrary limiter;

  public RedisHolds(RedisConnections redis) {
    this(redis, StoreClock.REDIS);
  }

  /** @param clock Redis's own but to rehearse and in tests */
  public RedisHolds(RedisConnections redis, StoreClock clock) {
    this.redis = redis;
    this.limiter = RedisLibrary.limiter(redis, clock);
  }

  @Override
  public CompletionStage<Ended> end(Held held, Ending ending) {
    String policy = redis.policyOf(redis.partOf(held.tenant()));
    String key = RedisKeys.key(held.tenant(), held.subject());
    String tenant = RedisKeys.tenant(held.tenant());
    // On a Redis Cluster a reservation has nothing of scope cluster, whose key is in another slot.
    String cluster = redis.parts() == 1 ? RedisKeys.CLUSTER : tenant;
    List<String> keys = new ArrayList<>(List.of(
        policy,
        key,
        tenant,
        cluster,
        RedisKeys.counters(key),
        RedisKeys.counters(tenant),
        RedisKeys.counters(cluster),
        RedisKeys.hold(key, held.id()),
        RedisKeys.holds(policy)));
    List<String> arguments = new ArrayList<>(List.of(
        Integer.toString(codeOf(ending)),
        Long.toString(ending instanceof Settled settled ? settled.cost() : 0),
        held.id(),
        Integer.toString(held.permits().size())));
    for (Permit permit : held.permits()) {
      keys.add(permits(held, permit));
      arguments.add(ChargeTemplate.codeOf(permit.scope()) + " " + permit.name());
    }
    return limiter.run("settle", keys, arguments).thenApply(answer -> {
      redis.returns().ended(held);
      return new Ended(
          Status.of(number(answer, 0)),
          number(answer, 1) == 1,
          (Long) answer.get(2),
          answer.size() > 3 && number(answer, 3) == 1);
    });
  }

  @Override
  public CompletionStage<List<Boolean>> renew(List<Held> all) {
    List<CompletableFuture<Boolean>> renewed = all.stream().map(this::renew).toList();
    return CompletableFuture.allOf(renewed.toArray(CompletableFuture[]::new))
        .thenApply(done -> renewed.stream().map(CompletableFuture::join).toList());
  }

  private CompletableFuture<Boolean> renew(Held held) {
    String policy = redis.policyOf(redis.partOf(held.tenant()));
    String key = RedisKeys.key(held.tenant(), held.subject());
    List<String> keys =
        new ArrayList<>(List.of(RedisKeys.hold(key, held.id()), RedisKeys.holds(policy)));
    held.permits().forEach(permit -> keys.add(permits(held, permit)));
    List<String> arguments =
        List.of(held.id(), Long.toString(held.leaseMicros()), held.reserves() ? "1" : "0");
    return limiter.run("renew", keys, arguments).thenApply(answer -> number(answer, 0) == 1);
  }

  /** Expires in all parts of the shared state. A part that is away does not block the others. */
  @Override
  public CompletionStage<Integer> expire() {
    List<CompletableFuture<Integer>> ended = IntStream.range(0, redis.parts())
        .mapToObj(part -> expirePart(part).toCompletableFuture())
        .toList();
    return CompletableFuture.allOf(ended.toArray(CompletableFuture[]::new))
        .handle((done, error) -> sum(ended));
  }

  private CompletionStage<Integer> expirePart(int part) {
    String index = RedisKeys.holds(redis.policyOf(part));
    return limiter
        .run("due", List.of(index), List.of(MOST_EXPIRED))
        .thenCompose(
            found -> expireAll(index, found.stream().map(Object::toString).toList()));
  }

  private static int sum(List<CompletableFuture<Integer>> counts) {
    return counts.stream()
        .filter(count -> !count.isCompletedExceptionally())
        .mapToInt(CompletableFuture::join)
        .sum();
  }

  private CompletionStage<Integer> expireAll(String index, List<String> keys) {
    CompletableFuture<Integer> ended = CompletableFuture.completedFuture(0);
    for (String key : keys) {
      ended = ended.thenCompose(count -> expire(index, key).thenApply(one -> count + one));
    }
    return ended;
  }

  // A reservation that cannot be ended does not block the others: it is tried again later. One in a
  // partition of an
  // earlier release is dropped: the buckets that it could give back to are forgotten.
  private CompletionStage<Integer> expire(String index, String key) {
    Matcher name = HOLD.matcher(key);
    String subject = name.matches() ? Names.unescaped(name.group(2)) : "";
    if (subject.isEmpty() || !key.equals(hold(name.group(1), subject, name.group(3)))) {
      return redis.ask(commands -> commands.zrem(index, key)).thenApply(dropped -> 0);
    }
    return recorded(name.group(1), subject, name.group(3))
        .thenCompose(held -> end(held, new Ending.Expired()))
        .thenApply(done -> 1)
        .exceptionallyCompose(error -> redis
            .ask(commands -> commands.zaddincr(index, LATER_MICROS, key))
            .thenApply(moved -> 0));
  }

  /** The hold with this id; without permits if it is unknown. */
  public CompletionStage<Held> recorded(String tenant, String subject, String id) {
    return redis
        .ask(commands -> commands.get(hold(tenant, subject, id)))
        .thenApply(text -> new Held(
            tenant,
            subject,
            id,
            true,
            text == null ? 1 : leaseIn(text),
            text == null ? List.of() : permitsIn(text)));
  }

  private static String hold(String tenant, String subject, String id) {
    return RedisKeys.hold(RedisKeys.key(tenant, subject), id);
  }

  // An ended hold needs no lease.
  private static long leaseIn(String text) {
    Matcher lease = LEASE.matcher(text);
    return lease.find() ? Long.parseLong(lease.group(1)) : 1;
  }

  // The second line has the demands other than rates.
  private static List<Permit> permitsIn(String text) {
    String[] lines = text.split("\n", 3);
    return PERMIT
        .matcher(lines.length < 2 ? "" : lines[1])
        .results()
        .map(found -> new Permit(SCOPES.get(Integer.parseInt(found.group(1)) - 1), found.group(2)))
        .toList();
  }

  private static String permits(Held held, Permit permit) {
    String state = RedisKeys.state(permit.scope(), held.tenant(), held.subject());
    return RedisKeys.permits(state, permit.name());
  }

  private static int codeOf(Ending ending) {
    if (ending instanceof Settled) {
      return SETTLED;
    }
    if (ending instanceof Ending.Released) {
      return RELEASED;
    }
    return ending instanceof Ending.Cancelled ? CANCELLED : EXPIRED;
  }

  private static int number(List<Object> numbers, int index) {
    return Math.toIntExact((Long) numbers.get(index));
  }
}
