package io.weir.state.redis;

import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.weir.bucket.Bucket;
import io.weir.bucket.Draw;
import io.weir.bucket.Scope;
import io.weir.decision.Verdict;
import io.weir.decision.Verdict.Wait;
import io.weir.slot.LineReport;
import io.weir.slot.LineReport.Returned;
import io.weir.slot.SlotMode;
import io.weir.slot.SlotRules;
import io.weir.slot.TicketRequest;
import io.weir.throttle.BucketStore;
import io.weir.throttle.Charge;
import io.weir.throttle.StoreAnswer;
import io.weir.throttle.StoreUnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/**
 * Buckets in Redis, one script and one round trip a decision. Safe for use by many threads; the
 * connection belongs to whoever opened it, and its command timeout bounds every answer.
 *
 * <p>A script that Redis has forgotten is sent again with the same charge. Nothing else is tried twice:
 * a charge whose answer was lost may have been taken.
 */
public final class RedisBucketStore implements BucketStore {
  private final RedisAsyncCommands<String, String> redis;
  private final LuaScript charge;
  private final LuaScript peek;
  private final List<LongSupplier> trailingArguments;

  private RedisBucketStore(
      StatefulRedisConnection<String, String> connection,
      Map<String, String> includes,
      List<LongSupplier> trailingArguments) {
    this.redis = connection.async();
    this.charge = LuaScript.load("charge", includes);
    this.peek = LuaScript.load("peek", includes);
    this.trailingArguments = trailingArguments;
  }

  /** A store on Redis's own time. */
  public static RedisBucketStore of(StatefulRedisConnection<String, String> connection) {
    return new RedisBucketStore(connection, Map.of(), List.of());
  }

  /**
   * A store on another time, to rehearse what was recorded or imagined. Never for live traffic: its time
   * must not be mixed with Redis's own in the same keys.
   *
   * @param clockMicros microseconds since the epoch, later than the present: keys expire by Redis's time
   */
  public static RedisBucketStore rehearsing(
      StatefulRedisConnection<String, String> connection, LongSupplier clockMicros) {
    return new RedisBucketStore(connection, Map.of("now", "now_argument"), List.of(clockMicros));
  }

  @Override
  public CompletionStage<StoreAnswer> tryCharge(Charge request) {
    return run(charge, request);
  }

  @Override
  public CompletionStage<StoreAnswer> peek(Charge request) {
    return run(peek, request);
  }

  private CompletionStage<StoreAnswer> run(LuaScript script, Charge request) {
    String tenant = request.tenant();
    String[] keys = {
      RedisKeys.POLICY,
      RedisKeys.key(tenant, request.subject()),
      RedisKeys.tenant(tenant),
      RedisKeys.CLUSTER,
      RedisKeys.keyLine(tenant, request.subject()),
      RedisKeys.tenantLine(tenant)
    };
    return eval(script, keys, arguments(request)).thenApply(reply -> answer(request, reply));
  }

  private String[] arguments(Charge request) {
    List<String> arguments = new ArrayList<>(9 + 4 * request.draws().size() + 1);
    arguments.add(Long.toString(request.revision()));
    arguments.add(Integer.toString(request.draws().size()));
    SlotRules slots = request.slots();
    TicketRequest ticket = request.ticket();
    arguments.add(codeOf(slots.mode()));
    arguments.add(Long.toString(slots.latenessMicros()));
    arguments.add(Integer.toString(slots.maxLine()));
    arguments.add(Long.toString(slots.horizonMicros()));
    arguments.add(Long.toString(ticket.withinMicros()));
    arguments.add(ticket.newId());
    arguments.add(ticket.shown().orElse(""));
    for (Draw draw : request.draws()) {
      Bucket bucket = draw.bucket();
      arguments.add(codeOf(bucket.scope()));
      arguments.add(bucket.name() + "@" + bucket.milliOpsPerSec());
      arguments.add(Long.toString(bucket.capacityUnits()));
      arguments.add(Long.toString(draw.units(request.cost())));
    }
    trailingArguments.forEach(argument -> arguments.add(Long.toString(argument.getAsLong())));
    return arguments.toArray(String[]::new);
  }

  private static String codeOf(Scope scope) {
    return switch (scope) {
      case KEY -> "1";
      case TENANT -> "2";
      case CLUSTER -> "3";
    };
  }

  private static String codeOf(SlotMode mode) {
    return switch (mode) {
      case RESERVE -> "0";
      case ESTIMATE -> "1";
      case OFF -> "2";
    };
  }

  private CompletionStage<List<Long>> eval(LuaScript script, String[] keys, String[] arguments) {
    return redis
        .<List<Long>>evalsha(script.sha1(), ScriptOutputType.MULTI, keys, arguments)
        .exceptionallyCompose(error -> isNoScript(error)
            ? redis.eval(script.source(), ScriptOutputType.MULTI, keys, arguments)
            : failed(error))
        .exceptionally(error -> {
          throw unavailable(error);
        });
  }

  private static StoreAnswer answer(Charge request, List<Long> reply) {
    Status status = Status.of(reply.get(0));
    if (status == Status.STALE) {
      return new StoreAnswer.Stale(reply.get(1));
    }
    int draws = request.draws().size();
    long[] used = reply.stream().skip(2).limit(draws).mapToLong(Long::longValue).toArray();
    List<Long> line = reply.subList(2 + draws, reply.size());
    Verdict verdict = request.verdict(reply.get(1));
    return new StoreAnswer.Decided(
        verdict.decision(status.outcome(), used, waitOf(request, line)), reportOf(line));
  }

  private static Wait waitOf(Charge request, List<Long> line) {
    if (line.isEmpty()) {
      return Wait.NONE;
    }
    Optional<String> ticket = Optional.empty();
    if (line.size() > 2 && line.get(2) > 0) {
      String id = line.get(3) == 1
          ? request.ticket().newId()
          : request.ticket().shownId().orElse("");
      ticket = Optional.of("%016d.%s".formatted(line.get(2), id));
    }
    return new Wait(line.get(0), line.get(1) == 1, ticket);
  }

  private static LineReport reportOf(List<Long> line) {
    return line.size() <= 2
        ? LineReport.NONE
        : new LineReport(Returned.of(line.get(4)), line.get(5) == 1, line.get(6), line.get(7));
  }

  private static boolean isNoScript(Throwable error) {
    return error instanceof RedisNoScriptException
        || error.getCause() instanceof RedisNoScriptException;
  }

  private static <T> CompletionStage<T> failed(Throwable error) {
    return CompletableFuture.failedStage(error);
  }

  private static StoreUnavailableException unavailable(Throwable error) {
    Throwable cause =
        error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    return new StoreUnavailableException("Redis did not answer: " + cause.getMessage(), cause);
  }
}
