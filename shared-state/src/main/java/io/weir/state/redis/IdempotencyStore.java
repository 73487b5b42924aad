package io.weir.state.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.state.redis.wire.LuaScript;
import io.weir.state.redis.wire.RedisKeys;
import io.weir.throttle.StoreUnavailableException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * What became of items that must be executed once only, by whichever node. An item is claimed before it is
 * executed, and settled with its answer. Safe for use by many threads; what fails does so with {@link
 * StoreUnavailableException}.
 */
public final class IdempotencyStore {
  /** How long an item is remembered. */
  public static final Duration KEPT = Duration.ofMinutes(15);

  /** What the answers of one API key may take of the memory, in about 15 minutes. */
  static final long MAX_BYTES_OF_KEY = 16 << 20;

  private static final int ID_BYTES = 16;

  private final RedisConnections redis;
  private final MemoryWatch memory;
  private final LuaScript claim = LuaScript.load("claim");
  private final LuaScript keepResult = LuaScript.load("keep_result");

  public IdempotencyStore(RedisConnections redis) {
    this.redis = redis;
    this.memory = redis.memory();
  }

  /**
   * An item to be executed once.
   *
   * @param idempotencyKey its name, among all of the subject
   * @param fingerprint of what is asked
   */
  public record Item(String tenant, String subject, String idempotencyKey, String fingerprint) {
    private String redisKey() {
      return RedisKeys.answer(
          tenant, subject, hash(idempotencyKey.getBytes(UTF_8)).substring(0, 2 * ID_BYTES));
    }
  }

  /** What became of an item. */
  public sealed interface Claim {
    /** It is the caller's to execute, and to settle. */
    record Claimed() implements Claim {}

    /** It was executed. */
    record Done(String answer) implements Claim {}

    /** Another one executes it, for so long at most. */
    record Busy(Duration atMost) implements Claim {}

    /** Its executor ended without an answer. */
    record Unknown() implements Claim {}

    /** Something else was asked by that key. */
    record Other() implements Claim {}

    /** The API key has so many answers kept that there is no room for another, for so long at most. */
    record Full(Duration atMost) implements Claim {}
  }

  /**
   * Claims an item.
   *
   * @param token who claims it; nobody can guess it
   * @param lease how long its execution takes at most
   * @param isRepeatable whether it may be executed again though nobody knows what became of it
   */
  public CompletionStage<Claim> claim(
      Item item, String token, Duration lease, boolean isRepeatable) {
    return run(
            claim,
            item,
            token,
            hash(item.fingerprint().getBytes(UTF_8)),
            Long.toString(lease.toNanos() / 1000),
            Long.toString(KEPT.toMillis()),
            isRepeatable ? "1" : "0",
            Long.toString(memory.isShort() ? 0 : MAX_BYTES_OF_KEY))
        .thenApply(IdempotencyStore::claim);
  }

  /** Whether the answer of an item is kept: it was executed, as everybody can know. */
  public CompletionStage<Boolean> isKept(String tenant, String subject, String idempotencyKey) {
    String key = new Item(tenant, subject, idempotencyKey, "").redisKey();
    return redis.ask(commands -> commands.hexists(key, "answer"));
  }

  /** Keeps the answer of an item that was claimed by that token; without effect where it is no longer. */
  public CompletionStage<Void> keep(Item item, String token, String answer) {
    return run(keepResult, item, token, answer, Long.toString(KEPT.toMillis()))
        .thenApply(done -> null);
  }

  /** Gives an item free that was claimed and not executed. */
  public CompletionStage<Void> release(Item item, String token) {
    return keep(item, token, "");
  }

  private static Claim claim(List<Object> answer) {
    int status = ((Long) answer.get(0)).intValue();
    return switch (status) {
      case 0 -> new Claim.Claimed();
      case 1 -> new Claim.Done((String) answer.get(2));
      case 2 -> new Claim.Busy(Duration.ofNanos((Long) answer.get(1) * 1000));
      case 3 -> new Claim.Unknown();
      case 4 -> new Claim.Other();
      default -> new Claim.Full(Duration.ofNanos((Long) answer.get(1) * 1000));
    };
  }

  private CompletionStage<List<Object>> run(LuaScript script, Item item, String... arguments) {
    return Scripts.run(
        redis,
        script,
        List.of(item.redisKey(), RedisKeys.answerBytes(item.tenant(), item.subject())),
        List.of(arguments));
  }

  /** The SHA-256 of all of these, one after another, in hexadecimal digits. */
  public static String hash(byte[]... parts) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (byte[] part : parts) {
        digest.update(part);
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
