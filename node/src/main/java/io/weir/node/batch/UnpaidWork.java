package io.weir.node.batch;

import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.policy.Subject;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * How many bytes of batches a key may have read for it that no limit pays for: batches that are invalid or denied, and
 * references that lead nowhere. An admitted item pays for its share. Mutable; safe for use by many threads.
 */
public final class UnpaidWork {
  /** About a tenth of a processor. */
  static final long BYTES_PER_SECOND = 8 << 20;

  static final long MOST_BYTES = 64 << 20;
  /** What one admitted item pays for. */
  static final long BYTES_OF_ITEM = 256 << 10;

  static final String CODE = "batch_work";

  private static final ProblemDetails TOO_MUCH = ProblemDetails.of(
      429, CODE, "Too much of this API key's batches is read and then not executed");

  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final long NANOS_PER_BYTE = 1_000_000_000 / BYTES_PER_SECOND;
  private static final int MANY_KEYS = 1000;

  private final LongSupplier nanoClock;
  /** For each key when all that was read for it is made up for; keys without debt are absent or past. */
  private final Map<String, Long> paidAtNanos = new HashMap<>();

  public UnpaidWork(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /** One batch of a key. */
  Account of(Subject subject) {
    return new Account(subject.id());
  }

  private synchronized long debtNanos(String key) {
    long now = nanoClock.getAsLong();
    return Math.max(0, paidAtNanos.getOrDefault(key, now) - now);
  }

  // In nanoseconds below a day: no overflow.
  private synchronized void add(String key, long bytes) {
    long now = nanoClock.getAsLong();
    long debt = Math.max(0, debtNanos(key) + bytes * NANOS_PER_BYTE);
    if (paidAtNanos.size() >= MANY_KEYS) {
      paidAtNanos.values().removeIf(paidAt -> paidAt - now <= 0);
    }
    paidAtNanos.put(key, now + debt);
  }

  /** The work of one batch. Mutable; safe for use by many threads. */
  final class Account {
    private final String key;
    private long unpaid;

    private Account(String key) {
      this.key = key;
    }

    /** How long the key waits before more is read for it; empty where it need not. */
    Optional<Duration> waitFor() {
      long over = debtNanos(key) - MOST_BYTES * NANOS_PER_BYTE;
      return over <= 0
          ? Optional.empty()
          : Optional.of(Duration.ofMillis((over + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI));
    }

    /** Throws {@link RefusedException} where the key waits. */
    void require() {
      waitFor().ifPresent(wait -> {
        throw new RefusedException(TOO_MUCH.with("retryAfterMs", wait.toMillis()));
      });
    }

    /** So many bytes are read. */
    synchronized void spend(long bytes) {
      unpaid += bytes;
      add(key, bytes);
    }

    /** An item was admitted. */
    synchronized void pay() {
      long paid = Math.min(unpaid, BYTES_OF_ITEM);
      unpaid -= paid;
      add(key, -paid);
    }
  }
}
