package io.weir.keys.directory;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.weir.keys.directory.Feed.Loss;
import io.weir.keys.record.RecordType;
import io.weir.keys.record.StoredRecord;
import io.weir.keys.store.ListedChange;
import io.weir.keys.store.ListedNames;
import io.weir.keys.store.RedisRecords;
import io.weir.keys.store.StoredFields;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * The records that a node has read, and the names of which it knows that they have none. Unknown names have a place of
 * their own, so that a flood of them displaces no record. Mutable; safe for use by many threads.
 */
final class KeyCache implements Feed.Listener {
  private static final int MOST_TENANTS = 10_000;
  private static final int MOST_UNKNOWN = 50_000;
  private static final Duration UNKNOWN_LASTS = Duration.ofMinutes(1);

  private final RedisRecords records;
  private final KeyMeters meters;
  private final StoredTokens tokens;
  private final RecentChanges recent;
  private final Losses losses;
  private final RecordedSubjects subjects;
  private final ChangeReader changeReader = new ChangeReader(this::readChanged);
  private final Cache<String, Known> keys;
  private final KeyAliases aliases;
  private final Cache<String, Boolean> unknown = Caffeine.newBuilder()
      .maximumSize(MOST_UNKNOWN)
      .expireAfterWrite(UNKNOWN_LASTS)
      .build();
  private final Cache<String, Tenant> tenants =
      Caffeine.newBuilder().weakValues().build();
  /** Tenants without a key that holds them. */
  private final Cache<String, Tenant> held =
      Caffeine.newBuilder().maximumSize(MOST_TENANTS).build();

  private final ConcurrentMap<String, LookUp> lookUps = new ConcurrentHashMap<>();
  private final AtomicInteger generation = new AtomicInteger();

  KeyCache(
      RedisRecords records,
      StoredTokens tokens,
      RecentChanges recent,
      long mostBytes,
      LongSupplier nanos,
      KeyMeters meters) {
    this.records = records;
    this.tokens = tokens;
    this.recent = recent;
    this.meters = meters;
    this.keys = Caffeine.newBuilder()
        .maximumWeight(mostBytes)
        .weigher((String id, Known known) -> known.bytes())
        .build();
    this.aliases = new KeyAliases(mostBytes, this::newest, hash -> unknown.put(hash, true));
    this.subjects = new RecordedSubjects(records);
    this.losses = new Losses(records, nanos, meters);
    meters.known(keys::estimatedSize);
  }

  /** A look-up that is under way; one that is outdated is no longer in the map. */
  private static final class LookUp {
    private final CompletableFuture<Optional<Known>> result = new CompletableFuture<>();
    private final int generation;

    LookUp(int generation) {
      this.generation = generation;
    }
  }

  /** A record that was read, whether or not it still counts. */
  Optional<Known> get(String id) {
    return Optional.ofNullable(keys.getIfPresent(id));
  }

  KeyAliases aliases() {
    return aliases;
  }

  RecordedSubjects subjects() {
    return subjects;
  }

  boolean isCurrent(Known known) {
    return known.isCurrent(generation.get());
  }

  /** Whether there is no record, or no key, of this name. */
  boolean isUnknown(String name) {
    return unknown.getIfPresent(name) != null;
  }

  private CompletableFuture<StoredFields> newest(String name) {
    return new NewestRecords(records, recent).read(name);
  }

  private CompletableFuture<Optional<StoredRecord>> find(RecordType kind, String id) {
    return newest(kind.word() + ":" + id)
        .thenApply(found -> StoredRecord.of(kind, id, found.fields()));
  }

  /** Reads a record, together with a reading that is under way. */
  CompletableFuture<Optional<Known>> lookUp(String id) {
    LookUp mine = new LookUp(generation.get());
    LookUp running = lookUps.putIfAbsent(id, mine);
    if (running != null) {
      return running.result;
    }
    find(RecordType.KEY, id)
        .thenCompose(entry -> entry.isEmpty()
            ? CompletableFuture.completedFuture(Optional.<Known>empty())
            : tenant(entry.get().name().tenant())
                .thenApply(tenant -> Optional.of(new Known(entry.get(), tenant, mine.generation))))
        .thenAccept(known -> ended(id, mine, known))
        .exceptionally(error -> {
          lookUps.remove(id, mine);
          meters.failed();
          mine.result.completeExceptionally(error);
          return null;
        });
    return mine.result;
  }

  /** Reads a record, by a reading that begins now or later: it finds every change that was made before. */
  CompletableFuture<Optional<Known>> lookUpNow(String id) {
    LookUp running = lookUps.get(id);
    return running == null
        ? lookUp(id)
        : running.result.handle((known, error) -> id).thenCompose(this::lookUp);
  }

  // A record that changed while it was read is not kept.
  private void ended(String id, LookUp mine, Optional<Known> known) {
    boolean isAfterLoss = losses.areRecent();
    lookUps.compute(id, (key, running) -> {
      if (running != mine) {
        return running;
      }
      if (known.isPresent()) {
        keys.put(id, known.get());
      } else {
        keys.invalidate(id);
      }
      if (known.isEmpty() && !isAfterLoss && mine.generation == generation.get()) {
        unknown.put(id, true);
      }
      return null;
    });
    meters.lookedUp(known.isPresent());
    if (known.isEmpty() && isAfterLoss) {
      // Another node may have the record, and put it back at any moment.
      mine.result.completeExceptionally(new RefusedException(ProblemDetails.unavailable()));
    } else {
      mine.result.complete(known);
    }
  }

  /** A tenant, as it was last read. */
  Optional<Tenant> knownTenant(String name) {
    return Optional.ofNullable(tenants.getIfPresent(name)).filter(tenant -> tenant.reading() > 0);
  }

  /** A tenant, with its record of now. */
  CompletableFuture<Tenant> tenant(String name) {
    Tenant tenant = tenants.get(name, Tenant::new);
    held.put(name, tenant);
    if (tenant.isCurrent()) {
      return CompletableFuture.completedFuture(tenant);
    }
    int changes = tenant.changes();
    return find(RecordType.TENANT, name).thenApply(entry -> {
      tenant.read(entry, changes);
      return tenant;
    });
  }

  @Override
  public void changed(ListedChange change) {
    boolean isUnread = recent.add(change);
    String name = change.name();
    String id = change.id();
    if (name.startsWith(ListedNames.TOKEN)) {
      tokens.changed();
    } else if (name.startsWith(ListedNames.OF)) {
      aliases.changed(id);
      unknown.invalidate(id);
    } else if (name.startsWith(RecordType.TENANT.word())) {
      Optional.ofNullable(tenants.getIfPresent(id)).ifPresent(Tenant::changed);
    } else {
      lookUps.remove(id);
      unknown.invalidate(id);
      subjects.changed(change);
      Optional.ofNullable(keys.getIfPresent(id)).ifPresent(Known::changed);
    }
    if (isUnread || isKnownKey(name)) {
      changeReader.add(name);
    }
  }

  private boolean isKnownKey(String name) {
    return name.startsWith(RecordType.KEY.word())
        && keys.getIfPresent(name.substring(name.indexOf(':') + 1)) != null;
  }

  // At once: requests that wait for their turn hold a key, too.
  private CompletableFuture<?> readChanged(String name) {
    return isKnownKey(name) ? lookUp(name.substring(name.indexOf(':') + 1)) : newest(name);
  }

  @Override
  public void missed(int part) {
    generation.incrementAndGet();
    tokens.changed();
    subjects.missed(part);
    lookUps.clear();
    tenants.asMap().values().forEach(Tenant::changed);
    unknown.invalidateAll();
    aliases.missed();
  }

  /** Whether nothing is being read, or put back, without somebody who waits for it. */
  boolean isSettled() {
    return changeReader.isIdle() && !losses.isPuttingBack();
  }

  boolean isPuttingBack() {
    return losses.isPuttingBack();
  }

  // A record that may have changed without this node's knowledge is not put back.
  @Override
  public void lost(Loss loss) {
    unknown.invalidateAll();
    List<StoredFields> known = loss.isKnown() ? known(loss.part()) : List.of();
    CompletableFuture<Void> unused =
        losses.putBack(loss, known).thenAccept(done -> missed(loss.part()));
  }

  // A name occurs twice if it has changed: the newer of both counts in Redis.
  private List<StoredFields> known(int part) {
    Stream<StoredFields> ofTenants = tenants.asMap().values().stream()
        .filter(Tenant::isCurrent)
        .flatMap(tenant -> tenant.entry().stream())
        .map(KeyCache::stored);
    Stream<StoredFields> ofKeys = keys.asMap().values().stream()
        .filter(this::isCurrent)
        .map(Known::entry)
        .map(KeyCache::stored);
    return Stream.of(
            tokens.all().stream(),
            recent.contents().stream(),
            ofTenants,
            ofKeys,
            aliases.all().stream())
        .flatMap(all -> all)
        .filter(one -> records.partOfName(one.name()) == part)
        .toList();
  }

  private static StoredFields stored(StoredRecord entry) {
    return new StoredFields(
        entry.name().kind().word() + ":" + entry.name().id(),
        entry.history().version(),
        entry.fieldsByName());
  }
}
