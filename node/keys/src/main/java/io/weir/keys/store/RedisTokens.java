package io.weir.keys.store;

import io.weir.keys.record.TokenEntry;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/** The stored tokens of operators: records, in the first part of the shared state. Failures are those of the records. */
public record RedisTokens(RedisRecords records) {
  /** The names of all. */
  public CompletableFuture<List<String>> names() {
    return records.firstMembers(KeyNames.tokenIndex());
  }

  /** All of them. */
  public CompletableFuture<List<StoredFields>> all() {
    return names()
        .thenCompose(names -> RedisRecords.all(names.stream().map(this::find).toList()));
  }

  /** The one with this name. */
  public CompletableFuture<StoredFields> find(String name) {
    return records.read(ListedNames.TOKEN + name);
  }

  /** Stores a new one; false if there is one with its name. */
  public CompletableFuture<Boolean> add(TokenEntry token) {
    List<String> audit =
        List.of(token.created().by(), "create", "", token.toJson().encode());
    return put(token.name(), 0, audit, token.toFields());
  }

  /** Removes one; false if it is not any more as it was seen. */
  public CompletableFuture<Boolean> remove(StoredFields seen, String by) {
    return put(seen.id(), seen.version(), List.of(by, "delete", "", ""), List.of());
  }

  private CompletableFuture<Boolean> put(
      String name, long seen, List<String> audit, List<String> fields) {
    return records
        .put(ListedNames.TOKEN + name, KeyNames.tokenIndex(), name, seen, audit, fields)
        .thenApply(OptionalLong::isPresent);
  }
}
