package io.weir.keys.identity;

import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.JWKSet;
import io.weir.core.throttle.Failures;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys of one issuer, as they were last read. At most one reading is under way, which those share who need it; the
 * number of those who wait for it is bounded. Mutable; safe for use by many threads.
 */
final class IssuerKeys {
  static final int MOST_WAITING = 100;
  /** A key that the issuer has withdrawn is used no longer than this. */
  static final Duration LAST = Duration.ofMinutes(15);
  /** While the issuer cannot be read, its last keys are used no longer than this. */
  static final Duration LAST_IN_OUTAGE = Duration.ofHours(6);
  /** Tokens with invented keys must not make a node ask the issuer again and again. */
  static final Duration PAUSE = Duration.ofSeconds(30);

  static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(1);

  private static final Logger LOG = LoggerFactory.getLogger(IssuerKeys.class);
  private static final ProblemDetails UNAVAILABLE = ProblemDetails.of(
      503, "jwks_unavailable", "The keys of the token's issuer cannot be read now");

  private final String issuer;
  private final KeyReading source;
  private final LongSupplier nanos;
  private Optional<Held> held = Optional.empty();
  private @Nullable CompletableFuture<JWKSet> underWay;
  private int waiting;
  private boolean hasFailed;
  private long pausedUntilNanos;

  /**
   * Has read none.
   *
   * @param issuer its name in the log
   * @param nanos a clock that never goes back
   */
  IssuerKeys(String issuer, KeyReading source, LongSupplier nanos) {
    this.issuer = issuer;
    this.source = source;
    this.nanos = nanos;
    this.pausedUntilNanos = nanos.getAsLong();
  }

  private record Held(JWKSet keys, long readNanos) {
    boolean isYounger(Duration age, long nowNanos) {
      return nowNanos - readNanos < age.toNanos();
    }
  }

  /**
   * The keys that a token may be signed with; none if the issuer has no such key. They are read if they are old, or if
   * none of them matches; after a reading for a key that was not known, the next such one is 30 s later at the earliest.
   *
   * @return fails with {@link RefusedException} if they cannot be read now
   */
  synchronized CompletableFuture<List<JWK>> matching(JWKSelector wanted) {
    long now = nanos.getAsLong();
    boolean isFresh = held.filter(it -> it.isYounger(LAST, now)).isPresent();
    List<JWK> known = held.filter(it -> it.isYounger(LAST_IN_OUTAGE, now))
        .map(it -> wanted.select(it.keys()))
        .orElse(List.of());
    boolean isPaused = now - pausedUntilNanos < 0;
    if (!known.isEmpty() && isFresh) {
      return CompletableFuture.completedFuture(known);
    }
    if (!known.isEmpty() && hasFailed) {
      if (!isPaused) {
        CompletableFuture<JWKSet> unused = reading(isFresh);
      }
      return CompletableFuture.completedFuture(known); // nobody waits for an issuer that has failed
    }
    if (underWay == null && isPaused) {
      return hasFailed
          ? unavailable(Duration.ofNanos(pausedUntilNanos - now))
          : CompletableFuture.completedFuture(known); // none, and that was read a moment ago
    }
    if (waiting == MOST_WAITING) {
      return unavailable(PAUSE_AFTER_FAILURE);
    }
    waiting++;
    return reading(isFresh)
        .thenApply(wanted::select)
        .exceptionallyCompose(error -> known.isEmpty()
            ? unavailable(PAUSE_AFTER_FAILURE)
            : CompletableFuture.completedFuture(known));
  }

  private static <T> CompletableFuture<T> unavailable(Duration wait) {
    long millis = Math.max(1, wait.plusNanos(999_999).toMillis());
    return CompletableFuture.failedFuture(
        new RefusedException(UNAVAILABLE.with("retryAfterMs", millis)));
  }

  private CompletableFuture<JWKSet> reading(boolean isForUnknownKey) {
    if (underWay != null) {
      return underWay;
    }
    CompletableFuture<JWKSet> mine = new CompletableFuture<>();
    underWay = mine;
    CompletableFuture<?> unused = CompletableFuture.completedFuture(source)
        .thenCompose(KeyReading::read) // what it throws is a failure of the reading
        .whenComplete((keys, error) -> {
          ended(Optional.ofNullable(keys), Optional.ofNullable(error), isForUnknownKey);
          if (error == null) {
            mine.complete(keys);
          } else {
            mine.completeExceptionally(error);
          }
        });
    return mine;
  }

  private synchronized void ended(
      Optional<JWKSet> keys, Optional<Throwable> error, boolean isForUnknownKey) {
    long now = nanos.getAsLong();
    underWay = null;
    waiting = 0;
    error.filter(first -> !hasFailed).ifPresent(this::warn);
    hasFailed = error.isPresent();
    if (hasFailed) {
      pausedUntilNanos = now + PAUSE_AFTER_FAILURE.toNanos();
    } else if (isForUnknownKey) {
      pausedUntilNanos = now + PAUSE.toNanos();
    }
    held = keys.map(read -> new Held(read, now)).or(() -> held);
  }

  private void warn(Throwable error) {
    Throwable cause = Failures.cause(error);
    String why =
        cause instanceof IOException ? cause.toString() : cause.getClass().getSimpleName();
    LOG.warn("the keys of the issuer {} cannot be read: {}", issuer, why);
  }
}
