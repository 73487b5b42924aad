package io.weir.keys.directory;

import io.weir.keys.record.TokenEntry;
import io.weir.keys.store.StoredFields;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Operator;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** The tokens of operators that are stored: few, so that a node knows all. Mutable; safe for use by many threads. */
final class StoredTokens {
  private static final long LASTS_NANOS = 5_000_000_000L;
  private static final ProblemDetails UNCERTAIN = ProblemDetails.of(
      503, "tokens_uncertain", "The node does not know now whether the token is still valid");

  private final NewestRecords records;
  private final AtomicInteger changes = new AtomicInteger();
  private volatile Read read;

  StoredTokens(NewestRecords records, long nowNanos) {
    this.records = records;
    this.read = new Read(Map.of(), List.of(), -1, nowNanos);
  }

  /**
   * @param stored what they were read from
   * @param change how many changes had been announced when they were read
   * @param atNanos when nothing else was known to Redis
   */
  private record Read(
      Map<String, TokenEntry> byName, Collection<StoredFields> stored, int change, long atNanos) {}

  /** One of them has changed, or it may be. */
  void changed() {
    changes.incrementAndGet();
  }

  /**
   * Reads all of them if one has changed.
   *
   * @param freshNanos since when no change was announced
   */
  CompletableFuture<Void> refresh(long freshNanos) {
    Read before = read;
    int now = changes.get();
    if (before.change() == now) {
      read = new Read(before.byName(), before.stored(), now, freshNanos);
      return CompletableFuture.completedFuture(null);
    }
    return records.tokens().thenAccept(all -> {
      Map<String, TokenEntry> byName = new HashMap<>();
      all.forEach(token ->
          TokenEntry.of(token.id(), token.fields()).ifPresent(it -> byName.put(token.id(), it)));
      read = new Read(Map.copyOf(byName), all, now, freshNanos);
    });
  }

  /** The known tokens, as they are stored. */
  Collection<StoredFields> all() {
    return read.stored();
  }

  /** Throws {@link RefusedException} if the tokens have not been read for 5 s: a token may have been deleted. */
  Optional<Operator> operator(String shown, long nowMillis, long nowNanos) {
    Read now = read;
    Optional<Operator> operator = TokenEntry.nameIn(shown)
        .flatMap(name -> Optional.ofNullable(now.byName().get(name)))
        .filter(token -> token.isOpenedBy(shown) && token.isValidAt(nowMillis))
        .map(TokenEntry::operator);
    if (operator.isPresent() && nowNanos - now.atNanos() > LASTS_NANOS) {
      throw new RefusedException(UNCERTAIN);
    }
    return operator;
  }
}
