package io.weir.keys.store;

import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.weir.keys.record.Entry;
import io.weir.keys.record.Kind;
import io.weir.keys.record.Settings;
import io.weir.keys.store.KeyStatuses.KeyChanges;
import io.weir.keys.store.KeyStatuses.KeyName;
import io.weir.keys.store.KeyStatuses.KeyPut;
import io.weir.state.audit.RedisAudit;
import io.weir.state.connection.RedisConnections;
import io.weir.state.connection.Scripts;
import io.weir.state.wire.LuaLibrary;
import io.weir.state.wire.LuaScript;
import io.weir.state.wire.RedisKeys;
import io.weir.state.wire.Statuses;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * The records of keys and tenants in Redis. Safe for use by many threads; failures are {@link
 * io.weir.core.throttle.StoreUnavailableException}.
 */
public final class RedisRecords {
  /** Before the hash of a key without an id in its text, in the list of changes. */
  public static final String OF = "of:";

  private static final int MOST_OF_AUDIT_LINE = 2000;
  private static final int MOST_CHANGES = 1000;
  private static final LuaLibrary LIBRARY =
      LuaLibrary.of("keys", List.of("key_put", "key_name", "key_changes"));

  private final RedisConnections redis;
  private final LuaScript put = LIBRARY.script("key_put");
  private final LuaScript name = LIBRARY.script("key_name");
  private final LuaScript changes = LIBRARY.script("key_changes");

  public RedisRecords(RedisConnections redis) {
    this.redis = redis;
  }

  /** The number of parts of the shared state, each with its own list of changes. */
  public int parts() {
    return redis.parts();
  }

  /** The part with the record of this name. */
  public int partOf(String id) {
    return redis.partOf(id);
  }

  /** A record, if there is one. */
  public CompletableFuture<Optional<Entry>> find(Kind kind, String id) {
    return redis
        .ask(commands -> commands.hgetall(KeyNames.record(kind, id)))
        .thenApply(fields -> Entry.of(kind, id, fields));
  }

  /** The id of the key with this hash of its whole text, if it has no id in its text. */
  public CompletableFuture<Optional<String>> idOf(String hash) {
    return redis
        .ask(commands -> commands.hget(KeyNames.alias(hash), "id"))
        .thenApply(Optional::ofNullable);
  }

  /** Lets a key without an id in its text be found; false if the hash names another key. */
  public CompletableFuture<Boolean> name(String hash, String id) {
    return named(hash, id, "keep");
  }

  private CompletableFuture<Boolean> named(String hash, String id, String verb) {
    String log = KeyNames.changes(parts(), partOf(hash));
    return Scripts.run(
            redis,
            name,
            List.of(KeyNames.alias(hash), log, log + ":changes"),
            List.of(OF + hash, id, verb))
        .thenApply(answer -> Statuses.of(KeyName.class, answer.get(0)) == KeyName.DONE);
  }

  /** Undoes {@link #name}; without effect if the hash names another key. */
  public CompletableFuture<Void> unname(String hash, String id) {
    return named(hash, id, "forget").thenApply(done -> null);
  }

  /** Changes a record; empty if it is not any more as it was seen. The result is the new version. */
  public CompletableFuture<OptionalLong> put(Change change) {
    Entry any = change.any();
    Kind kind = change.kind();
    String log = KeyNames.changes(parts(), partOf(any.id()));
    boolean isSilent = change.what().equals(Change.SILENT);
    List<String> arguments = new ArrayList<>(List.of(
        Long.toString(change.before().map(Entry::version).orElse(0L)),
        kind.word() + ":" + any.id(),
        KeyNames.member(kind, any.tenant(), any.id()),
        isSilent ? "" : change.stamp().by(),
        change.what(),
        isSilent ? "" : json(change.before()),
        isSilent ? "" : json(change.after()),
        Long.toString(RedisAudit.mostLines(parts()))));
    change.after().ifPresent(entry -> arguments.addAll(entry.toFields()));
    List<String> keys = List.of(
        KeyNames.record(kind, any.id()),
        KeyNames.index(kind, any.id()),
        log,
        log + ":changes",
        RedisKeys.audit(parts(), partOf(any.id())));
    return Scripts.run(redis, put, keys, arguments)
        .thenApply(answer -> Statuses.of(KeyPut.class, answer.get(0)) == KeyPut.DONE
            ? OptionalLong.of((Long) answer.get(1))
            : OptionalLong.empty());
  }

  // A record with much text would take the place of many other lines.
  private static String json(Optional<Entry> entry) {
    String json = entry.map(it -> it.toJson().encode()).orElse("");
    return json.length() <= MOST_OF_AUDIT_LINE
        ? json
        : entry
            .map(it -> it.with(
                new Settings(
                    it.settings().plan(),
                    it.settings().state(),
                    it.settings().expiresMillis(),
                    List.of(),
                    Map.of(),
                    "(too long for the audit)"),
                it.changed()))
            .map(it -> it.toJson().encode())
            .orElse("");
  }

  /** The changes in a part of the shared state since a look. */
  public CompletableFuture<Changes> changes(int part, Cursor seen) {
    String log = KeyNames.changes(parts(), part);
    return Scripts.run(
            redis,
            changes,
            List.of(log, log + ":changes"),
            List.of(seen.epoch(), Long.toString(seen.seq()), Integer.toString(MOST_CHANGES)))
        .thenApply(answer -> new Changes(
            Statuses.of(KeyChanges.class, answer.get(0)) == KeyChanges.LOST,
            new Cursor((String) answer.get(1), (Long) answer.get(2)),
            (Long) answer.get(3),
            (Long) answer.get(4),
            answer.stream().skip(5).map(String.class::cast).toList()));
  }

  /** The stored tokens of operators, each a text by its name. */
  public CompletableFuture<Map<String, String>> tokens() {
    return redis.ask(commands -> commands.hgetall(KeyNames.tokens(parts())));
  }

  /** Stores a token; false if there is one with this name. */
  public CompletableFuture<Boolean> putToken(String name, String text) {
    return redis.ask(commands -> commands.hsetnx(KeyNames.tokens(parts()), name, text));
  }

  /** Removes a token; false if there is none. */
  public CompletableFuture<Boolean> removeToken(String name) {
    return redis
        .ask(commands -> commands.hdel(KeyNames.tokens(parts()), name))
        .thenApply(removed -> removed > 0);
  }

  /** Members of an index behind one of them, in the order of their bytes. */
  CompletableFuture<List<String>> members(String index, Range<String> range, int most) {
    return redis.ask(commands -> commands.zrangebylex(index, range, Limit.create(0, most)));
  }

  static <T> CompletableFuture<List<T>> all(List<CompletableFuture<T>> futures) {
    return CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new))
        .thenApply(done -> futures.stream().map(CompletableFuture::join).toList());
  }
}
