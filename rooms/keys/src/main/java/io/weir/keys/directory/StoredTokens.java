package io.weir.keys.directory;

import io.weir.keys.record.TokenEntry;
import io.weir.keys.store.RedisRecords;
import io.weir.node.auth.Operator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The tokens of operators that are stored: few, so that a node knows all. Mutable; safe for use by many threads. */
final class StoredTokens {
  private final RedisRecords records;
  private volatile Map<String, TokenEntry> byName = Map.of();

  StoredTokens(RedisRecords records) {
    this.records = records;
  }

  /** Reads all of them. */
  CompletableFuture<Void> refresh() {
    return records.tokens().thenAccept(stored -> {
      Map<String, TokenEntry> read = new HashMap<>();
      stored.forEach(
          (name, text) -> TokenEntry.parse(name, text).ifPresent(token -> read.put(name, token)));
      byName = Map.copyOf(read);
    });
  }

  /** Writes all that were known, after Redis has lost them. */
  CompletableFuture<Void> putBack() {
    return CompletableFuture.allOf(byName.values().stream()
        .map(token -> records.putToken(token.name(), token.text()))
        .toArray(CompletableFuture[]::new));
  }

  Optional<Operator> operator(String shown, long nowMillis) {
    return TokenEntry.nameIn(shown)
        .flatMap(name -> Optional.ofNullable(byName.get(name)))
        .filter(token -> token.isOpenedBy(shown) && token.isValidAt(nowMillis))
        .map(TokenEntry::operator);
  }
}
