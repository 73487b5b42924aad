package io.weir.keys.directory;

import io.weir.keys.record.TokenEntry;
import io.weir.keys.store.RedisRecords;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Operator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/** The tokens of operators that are stored: few, so that a node knows all. Mutable; safe for use by many threads. */
final class StoredTokens {
  private static final long LASTS_NANOS = 5_000_000_000L;
  private static final ProblemDetails UNCERTAIN = ProblemDetails.of(
      503, "tokens_uncertain", "The node cannot tell now whether the token still counts");

  private final RedisRecords records;
  private final LongSupplier nanos;
  private volatile Read read;

  StoredTokens(RedisRecords records, LongSupplier nanos) {
    this.records = records;
    this.nanos = nanos;
    this.read = new Read(Map.of(), nanos.getAsLong());
  }

  private record Read(Map<String, TokenEntry> byName, long atNanos) {}

  /** Reads all of them. */
  CompletableFuture<Void> refresh() {
    long begun = nanos.getAsLong();
    return records.tokens().thenAccept(stored -> {
      Map<String, TokenEntry> byName = new HashMap<>();
      stored.forEach(
          (name, text) -> TokenEntry.parse(name, text).ifPresent(token -> byName.put(name, token)));
      read = new Read(Map.copyOf(byName), begun);
    });
  }

  /** Those that are known. */
  List<TokenEntry> all() {
    return List.copyOf(read.byName().values());
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
