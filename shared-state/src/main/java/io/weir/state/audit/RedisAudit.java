package io.weir.state.audit;

import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.XAddArgs;
import io.weir.state.connection.RedisConnections;
import io.weir.state.wire.RedisKeys;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/**
 * The last changes by operators, in Redis. Safe for use by many threads; failures are {@link
 * io.weir.core.throttle.StoreUnavailableException}.
 */
public final class RedisAudit {
  private static final long MOST = 10_000;
  private static final long MOST_OF_PART = 1000;

  private final RedisConnections redis;

  public RedisAudit(RedisConnections redis) {
    this.redis = redis;
  }

  /** How many lines a stream of the shared state keeps, if it has so many parts. */
  public static long mostLines(int parts) {
    return parts == 1 ? MOST : MOST_OF_PART;
  }

  /**
   * Adds a line.
   *
   * @param record what was changed, as {@code key:<id>}
   * @param before JSON, or empty
   * @param after JSON, or empty
   */
  public CompletableFuture<Void> add(
      String who, String what, String record, String before, String after) {
    XAddArgs bounded =
        new XAddArgs().maxlen(mostLines(redis.extensionParts())).approximateTrimming();
    return redis
        .ask(commands -> commands.xadd(
            RedisKeys.audit(redis.extensionParts(), 0),
            bounded,
            Map.of("who", who, "what", what, "record", record, "before", before, "after", after)))
        .thenApply(done -> null);
  }

  /** The newest lines, the newest first. */
  public CompletableFuture<List<AuditLine>> last(int most) {
    List<CompletableFuture<List<AuditLine>>> parts = IntStream.range(0, redis.extensionParts())
        .mapToObj(part -> ofPart(part, most))
        .toList();
    return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
        .thenApply(done -> parts.stream()
            .map(CompletableFuture::join)
            .flatMap(Collection::stream)
            .sorted(Comparator.comparing(AuditLine::atMillis).reversed())
            .limit(most)
            .toList());
  }

  private CompletableFuture<List<AuditLine>> ofPart(int part, int most) {
    return redis
        .ask(commands -> commands.xrevrange(
            RedisKeys.audit(redis.extensionParts(), part), Range.unbounded(), Limit.from(most)))
        .thenApply(messages -> messages.stream()
            .map(message -> new AuditLine(
                message.getId(),
                message.getBody().getOrDefault("who", ""),
                message.getBody().getOrDefault("what", ""),
                message.getBody().getOrDefault("record", ""),
                message.getBody().getOrDefault("before", ""),
                message.getBody().getOrDefault("after", "")))
            .toList());
  }
}
