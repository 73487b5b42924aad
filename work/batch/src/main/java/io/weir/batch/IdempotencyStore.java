package io.weir.batch;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.connection.MemoryWatch;
import io.weir.state.connection.RedisConnections;
import io.weir.state.connection.RedisLibrary;
import io.weir.state.wire.LuaLibrary;
import io.weir.state.wire.Sha256;
import io.weir.state.wire.Statuses;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Outcomes of items that must be executed only once, by any node. An item is claimed before it is executed, and settled
 * with its answer. Safe for use by many threads; failures are {@link StoreUnavailableException}.
 */
public final class IdempotencyStore {
  /** How long an item is kept. */
  public static final Duration KEPT = Duration.ofMinutes(15);

  /** The most bytes of one API key's answers, within about 15 minutes. */
  static final long MAX_BYTES_OF_KEY = 16 << 20;

  private static final int ID_BYTES = 16;

  private final RedisConnections redis;
  private final MemoryWatch memory;
  private final RedisLibrary library;

  public IdempotencyStore(RedisConnections redis) {
    this.redis = redis;
    this.memory = redis.memory();
    this.library = new RedisLibrary(redis, LuaLibrary.of("batch", List.of("claim", "keep_result")));
  }

  /**
   * An item to be executed once.
   *
   * @param idempotencyKey its name, unique for the subject
   * @param fingerprint of the request
   */
  public record Item(String tenant, String subject, String idempotencyKey, String fingerprint) {
    private String redisKey() {
      return ItemKeys.answer(
          tenant, subject, Sha256.hex(idempotencyKey.getBytes(UTF_8)).substring(0, 2 * ID_BYTES));
    }
  }

  /** The result of a claim. */
  public sealed interface Claim {
    /** The caller has to execute the item, and to settle it. */
    record Claimed() implements Claim {}

    /** It was executed. */
    record Done(String answer) implements Claim {}

    /** Another claim executes it, for at most this time. */
    record Busy(Duration atMost) implements Claim {}

    /** Its execution ended without an answer. */
    record Unknown() implements Claim {}

    /** The key was used for another request. */
    record Other() implements Claim {}

    /** The API key has no room for another answer, for at most this time. */
    record Full(Duration atMost) implements Claim {}
  }

  /**
   * Claims an item.
   *
   * @param token identifies the claim; must be unguessable
   * @param lease the longest time of its execution
   * @param isRepeatable whether it may be executed again if its outcome is unknown
   */
  public CompletionStage<Claim> claim(
      Item item, String token, Duration lease, boolean isRepeatable) {
    return run(
            "claim",
            item,
            token,
            Sha256.hex(item.fingerprint().getBytes(UTF_8)),
            Long.toString(lease.toNanos() / 1000),
            Long.toString(KEPT.toMillis()),
            isRepeatable ? "1" : "0",
            Long.toString(memory.isShort() ? 0 : MAX_BYTES_OF_KEY))
        .thenApply(IdempotencyStore::claim);
  }

  /** Whether the answer of an item is kept, which means that it was executed. */
  public CompletionStage<Boolean> isKept(String tenant, String subject, String idempotencyKey) {
    String key = new Item(tenant, subject, idempotencyKey, "").redisKey();
    return redis.ask(commands -> commands.hexists(key, "answer"));
  }

  /** Keeps the answer of an item that was claimed with that token; without effect if the claim has ended. */
  public CompletionStage<Void> keep(Item item, String token, String answer) {
    return run("keep_result", item, token, answer, Long.toString(KEPT.toMillis()))
        .thenApply(done -> null);
  }

  /** Releases the claim of an item that was not executed. */
  public CompletionStage<Void> release(Item item, String token) {
    return keep(item, token, "");
  }

  private static Claim claim(List<Object> answer) {
    return switch (Statuses.of(ItemStatuses.Claim.class, answer.get(0))) {
      case CLAIMED -> new Claim.Claimed();
      case DONE -> new Claim.Done((String) answer.get(2));
      case BUSY -> new Claim.Busy(Duration.ofNanos((Long) answer.get(1) * 1000));
      case UNKNOWN -> new Claim.Unknown();
      case OTHER -> new Claim.Other();
      case FULL -> new Claim.Full(Duration.ofNanos((Long) answer.get(1) * 1000));
    };
  }

  private CompletionStage<List<Object>> run(String command, Item item, String... arguments) {
    return library.run(
        command,
        List.of(item.redisKey(), ItemKeys.answerBytes(item.tenant(), item.subject())),
        List.of(arguments));
  }
}
