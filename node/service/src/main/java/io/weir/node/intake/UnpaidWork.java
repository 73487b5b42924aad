package io.weir.node.intake;

import io.weir.core.policy.Subject;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Bounds the bytes that are read for a key and that no limit pays for: bodies of requests that are invalid or denied,
 * and references without a value. An admitted request pays for its body, an admitted item of a batch for its share.
 * Mutable; safe for use by many threads.
 */
public final class UnpaidWork {
  /** About a tenth of a processor. */
  static final long BYTES_PER_SECOND = 8 << 20;

  static final long MOST_BYTES = 64 << 20;
  /** The bytes that one admitted item pays for. */
  static final long BYTES_OF_ITEM = 256 << 10;

  /** The code of refusals. */
  public static final String CODE = "unpaid_bodies";

  private static final ProblemDetails TOO_MUCH = ProblemDetails.of(
      429, CODE, "Too much is read of this API key's bodies that is not admitted");

  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final long NANOS_PER_BYTE = 1_000_000_000 / BYTES_PER_SECOND;
  private static final int MANY_KEYS = 1000;

  private final LongSupplier nanoClock;
  /** For each key, the time at which its debt is paid; keys without debt are absent or have a past time. */
  private final Map<String, Long> paidAtNanos = new HashMap<>();

  public UnpaidWork(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /** One request of a key. */
  public Account of(Subject subject) {
    return new Account(subject.id());
  }

  private synchronized long debtNanos(String key) {
    long now = nanoClock.getAsLong();
    return Math.max(0, paidAtNanos.getOrDefault(key, now) - now);
  }

  // In nanoseconds, below one day: no overflow.
  private synchronized void add(String key, long bytes) {
    long now = nanoClock.getAsLong();
    long debt = Math.max(0, debtNanos(key) + bytes * NANOS_PER_BYTE);
    if (paidAtNanos.size() >= MANY_KEYS) {
      paidAtNanos.values().removeIf(paidAt -> paidAt - now <= 0);
    }
    paidAtNanos.put(key, now + debt);
  }

  /** The work for one request. Mutable; safe for use by many threads. */
  public final class Account {
    private final String key;
    private long unpaid;
    private boolean isPaid;

    private Account(String key) {
      this.key = key;
    }

    /** How long the key must wait before more is read for it; empty if it need not wait. */
    public Optional<Duration> waitFor() {
      long over = debtNanos(key) - MOST_BYTES * NANOS_PER_BYTE;
      return over <= 0
          ? Optional.empty()
          : Optional.of(Duration.ofMillis((over + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI));
    }

    /** Throws {@link RefusedException} if the key must wait. */
    public void require() {
      waitFor().ifPresent(wait -> {
        throw new RefusedException(TOO_MUCH.with("retryAfterMs", wait.toMillis()));
      });
    }

    /** Adds bytes that were read. */
    public synchronized void spend(long bytes) {
      if (isPaid) {
        return;
      }
      unpaid += bytes;
      add(key, bytes);
    }

    /** Pays for all that is read for the request, before and after. */
    public synchronized void payAll() {
      isPaid = true;
      add(key, -unpaid);
      unpaid = 0;
    }

    /** Pays for one admitted item. */
    public synchronized void pay() {
      long paid = Math.min(unpaid, BYTES_OF_ITEM);
      unpaid -= paid;
      add(key, -paid);
    }
  }
}
