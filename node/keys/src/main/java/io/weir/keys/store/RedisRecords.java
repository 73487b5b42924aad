package io.weir.keys.store;

import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.vertx.core.json.JsonObject;
import io.weir.keys.record.RecordType;
import io.weir.keys.record.StoredRecord;
import io.weir.keys.store.KeyStatuses.KeyChanges;
import io.weir.keys.store.KeyStatuses.KeyDoubt;
import io.weir.keys.store.KeyStatuses.KeyName;
import io.weir.keys.store.KeyStatuses.KeyPut;
import io.weir.keys.store.KeyStatuses.KeyRestore;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.state.audit.RedisAudit;
import io.weir.state.connection.RedisConnections;
import io.weir.state.connection.RedisLibrary;
import io.weir.state.wire.ExtensionPartition;
import io.weir.state.wire.LuaLibrary;
import io.weir.state.wire.RedisKeys;
import io.weir.state.wire.Statuses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The records of keys and tenants in Redis. Safe for use by many threads; failures are {@link
 * io.weir.core.throttle.StoreUnavailableException}.
 */
public final class RedisRecords {
  private static final int MOST_CHANGES = 1000;
  private static final int MOST_MEMBERS = 1000;
  private static final LuaLibrary LIBRARY = LuaLibrary.of(
      "keys",
      List.of(
          "key_put",
          "key_name",
          "key_reserve",
          "key_count",
          "key_changes",
          "key_restore",
          "key_doubt"));
  private static final ProblemDetails UNCERTAIN = ProblemDetails.of(
          503,
          "records_uncertain",
          "Redis has come back with another copy of the records, and nodes put back what it lacks")
      .with("retryAfterMs", 5000);

  private final RedisConnections redis;
  private final RedisLibrary library;
  /** The highest version that was seen, in each part of the shared state. */
  private final AtomicLongArray highest;

  public RedisRecords(RedisConnections redis) {
    this(redis, new AtomicLongArray(redis.extensionParts()));
  }

  private RedisRecords(RedisConnections redis, AtomicLongArray highest) {
    this.redis = redis;
    this.library = new RedisLibrary(redis, LIBRARY);
    this.highest = highest;
  }

  /** The same records by other connections to the same Redis. */
  public RedisRecords by(RedisConnections other) {
    return new RedisRecords(other, highest);
  }

  /** The bound of a tenant's keys. */
  public RedisKeyBound places() {
    return new RedisKeyBound(library);
  }

  /** The number of parts of the shared state, each with its own list of changes. */
  public int parts() {
    return redis.extensionParts();
  }

  /** The part with the record of this name. */
  public int partOf(String id) {
    return parts() == 1 ? 0 : ExtensionPartition.of(id);
  }

  /** A record, if there is one. */
  public CompletableFuture<Optional<StoredRecord>> find(RecordType kind, String id) {
    return redis
        .ask(commands -> commands.hgetall(KeyNames.record(kind, id)))
        .thenApply(fields -> StoredRecord.of(kind, id, fields));
  }

  /** Reads the record under a name of the list of changes. */
  public CompletableFuture<StoredFields> read(String name) {
    return redis
        .ask(commands -> commands.hgetall(ListedNames.record(name)))
        .thenApply(fields -> StoredFields.of(name, fields));
  }

  /** The removal of a record in the last hour; with version 0 if there was none. */
  public CompletableFuture<StoredFields> removal(String name) {
    String gone = logKeys(partOfName(name)).get(2);
    return redis
        .ask(commands -> commands.zscore(gone, name))
        .thenApply(
            version -> StoredFields.removed(name, version == null ? 0 : version.longValue()));
  }

  /** The part with the record of a name of the list of changes. */
  public int partOfName(String name) {
    return name.startsWith(ListedNames.TOKEN) ? 0 : partOf(ListedNames.id(name));
  }

  // The list of changes, and what belongs to it.
  private List<String> logKeys(int part) {
    String log = KeyNames.changes(parts(), part);
    return List.of(log, log + ":changes", log + ":gone");
  }

  /** Lets a key without an id in its text be found; false if the hash names another key. */
  public CompletableFuture<Boolean> name(String hash, String id) {
    return named(hash, id, "keep");
  }

  private CompletableFuture<Boolean> named(String hash, String id, String verb) {
    int part = partOf(hash);
    List<String> keys = new ArrayList<>(List.of(KeyNames.alias(hash)));
    keys.addAll(logKeys(part));
    return library
        .run(
            "key_name",
            keys,
            List.of(ListedNames.OF + hash, Long.toString(highest.get(part)), id, verb))
        .thenApply(answer -> {
          KeyName status = Statuses.of(KeyName.class, answer.get(0));
          if (status == KeyName.UNCERTAIN) {
            throw new RefusedException(UNCERTAIN);
          }
          return status == KeyName.DONE;
        });
  }

  /** Undoes {@link #name}; without effect if the hash names another key. */
  public CompletableFuture<Void> unname(String hash, String id) {
    return named(hash, id, "forget").thenApply(done -> null);
  }

  /**
   * Changes a record; empty if it is not any more as it was seen. The result is the new version. Fails with {@link
   * RefusedException} while nodes put back what a Redis with another copy lacks.
   */
  public CompletableFuture<OptionalLong> put(Change change) {
    StoredRecord any = change.any();
    RecordType kind = change.kind();
    return put(
        kind.word() + ":" + any.name().id(),
        KeyNames.index(kind, any.name().id()),
        KeyNames.member(kind, any.name().tenant(), any.name().id()),
        change.before().map(it -> it.history().version()).orElse(0L),
        change.audit(),
        change.after().map(StoredRecord::toFields).orElse(List.of()));
  }

  /** @param audit who, what, before and after */
  CompletableFuture<OptionalLong> put(
      String name,
      String index,
      String member,
      long seen,
      List<String> audit,
      List<String> fields) {
    int part = partOfName(name);
    List<String> keys = new ArrayList<>(List.of(ListedNames.record(name), index));
    keys.addAll(logKeys(part));
    keys.add(RedisKeys.audit(parts(), part));
    List<String> arguments = new ArrayList<>(
        List.of(Long.toString(seen), Long.toString(highest.get(part)), name, member));
    arguments.addAll(audit);
    arguments.add(Long.toString(RedisAudit.mostLines(parts())));
    arguments.addAll(fields);
    return library.run("key_put", keys, arguments).thenApply(answer -> switch (Statuses.of(
        KeyPut.class, answer.get(0))) {
      case DONE -> OptionalLong.of(seen(part, (Long) answer.get(1)));
      case CHANGED -> OptionalLong.empty();
      case UNCERTAIN -> throw new RefusedException(UNCERTAIN);
    });
  }

  private long seen(int part, long version) {
    highest.accumulateAndGet(part, version, Math::max);
    return version;
  }

  /** The changes in a part of the shared state since a look. */
  public CompletableFuture<Changes> changes(int part, Cursor seen) {
    return library
        .run(
            "key_changes",
            logKeys(part).subList(0, 2),
            List.of(
                seen.epoch(),
                Long.toString(seen.seq()),
                seen.version(),
                Integer.toString(MOST_CHANGES)))
        .thenApply(answer -> {
          seen(part, (Long) answer.get(4));
          return new Changes(
              Statuses.of(KeyChanges.class, answer.get(0)),
              new Cursor((String) answer.get(1), (Long) answer.get(2), (String) answer.get(3)),
              (Long) answer.get(5),
              (Long) answer.get(6),
              answer.stream()
                  .skip(7)
                  .map(String.class::cast)
                  .map(ListedChange::parse)
                  .toList());
        });
  }

  /** Puts back what is known of a record, or of its removal; false if Redis knows this or something newer. */
  public CompletableFuture<Boolean> restore(StoredFields known) {
    String name = known.name();
    String id = known.id();
    String tenant = known.fields().get("tenant");
    List<String> keys = new ArrayList<>(List.of(ListedNames.record(name), ListedNames.index(name)));
    keys.addAll(logKeys(partOfName(name)));
    List<String> arguments = new ArrayList<>(
        List.of(name, tenant == null ? id : tenant + " " + id, id, Long.toString(known.version())));
    known.fields().forEach((field, value) -> {
      if (!field.equals("version")) {
        arguments.addAll(List.of(field, value));
      }
    });
    return library
        .run("key_restore", keys, arguments)
        .thenApply(answer -> Statuses.of(KeyRestore.class, answer.get(0)) == KeyRestore.RESTORED);
  }

  /** Stops changes in a part for a while; true if nobody has done so a moment ago. */
  public CompletableFuture<Boolean> doubt(int part, Duration lasts) {
    return library
        .run(
            "key_doubt",
            logKeys(part).subList(0, 1),
            List.of(Long.toString(lasts.toNanos() / 1000)))
        .thenApply(answer -> Statuses.of(KeyDoubt.class, answer.get(0)) == KeyDoubt.FIRST);
  }

  /** Adds a line of audit about records that this node has put back. */
  public CompletableFuture<Void> audit(String what, String record, int restored) {
    return new RedisAudit(redis)
        .add("node", what, record, "", new JsonObject().put("records", restored).encode());
  }

  /** The first members of an index. */
  CompletableFuture<List<String>> firstMembers(String index) {
    return redis.ask(commands -> commands.zrange(index, 0, MOST_MEMBERS - 1));
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
