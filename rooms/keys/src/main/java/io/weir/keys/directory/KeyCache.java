package io.weir.keys.directory;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.weir.keys.directory.PuttingBack.Lost;
import io.weir.keys.record.Kind;
import io.weir.keys.store.RedisRecords;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The records that a node has read, and the names of which it knows that they have none. Unknown names have a place of
 * their own, so that a flood of them displaces no record. Mutable; safe for use by many threads.
 */
final class KeyCache implements Feed.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(KeyCache.class);
  private static final int BYTES_OF_ALIAS = 500;
  private static final int MOST_TENANTS = 10_000;
  private static final int MOST_EARLY = 50;
  private static final int MOST_UNKNOWN = 50_000;
  private static final Duration UNKNOWN_LASTS = Duration.ofMinutes(1);
  private static final long AFTER_LOSS_NANOS = 5_000_000_000L;

  private final RedisRecords records;
  private final LongSupplier nanos;
  private final KeyMeters meters;
  private final StoredTokens tokens;
  private final Cache<String, Known> keys;
  private final Cache<String, String> aliases;
  private final Cache<String, Boolean> unknown = Caffeine.newBuilder()
      .maximumSize(MOST_UNKNOWN)
      .expireAfterWrite(UNKNOWN_LASTS)
      .build();
  private final Cache<String, Tenant> tenants =
      Caffeine.newBuilder().weakValues().build();
  /** Those without a key that holds them. */
  private final Cache<String, Tenant> held =
      Caffeine.newBuilder().maximumSize(MOST_TENANTS).build();

  private final ConcurrentMap<String, LookUp> lookUps = new ConcurrentHashMap<>();
  private final AtomicInteger generation = new AtomicInteger();
  private final AtomicInteger aliasChanges = new AtomicInteger();
  private final AtomicInteger early = new AtomicInteger();
  private final AtomicInteger puttingBack = new AtomicInteger();
  private volatile long lossNanos;

  KeyCache(
      RedisRecords records,
      StoredTokens tokens,
      long mostBytes,
      LongSupplier nanos,
      KeyMeters meters) {
    this.records = records;
    this.tokens = tokens;
    this.nanos = nanos;
    this.meters = meters;
    this.keys = Caffeine.newBuilder()
        .maximumWeight(mostBytes)
        .weigher((String id, Known known) -> known.bytes())
        .build();
    this.aliases = Caffeine.newBuilder().maximumSize(mostBytes / BYTES_OF_ALIAS).build();
    this.lossNanos = nanos.getAsLong() - AFTER_LOSS_NANOS;
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

  boolean isCurrent(Known known) {
    return known.isCurrent(generation.get());
  }

  /** Whether there is no record, or no key, of this name. */
  boolean isUnknown(String name) {
    return unknown.getIfPresent(name) != null;
  }

  /** The id of a key without an id in its text, if it was looked up. */
  Optional<String> alias(String hash) {
    return Optional.ofNullable(aliases.getIfPresent(hash));
  }

  /** Looks for the id of such a key. */
  CompletableFuture<Optional<String>> lookUpAlias(String hash) {
    int before = aliasChanges.get();
    return records.idOf(hash).thenApply(id -> {
      if (aliasChanges.get() == before) {
        id.ifPresentOrElse(found -> aliases.put(hash, found), () -> unknown.put(hash, true));
      }
      return id;
    });
  }

  /** Reads a record, together with a reading that is under way. */
  CompletableFuture<Optional<Known>> lookUp(String id) {
    LookUp mine = new LookUp(generation.get());
    LookUp running = lookUps.putIfAbsent(id, mine);
    if (running != null) {
      return running.result;
    }
    records
        .find(Kind.KEY, id)
        .thenCompose(entry -> entry.isEmpty()
            ? CompletableFuture.completedFuture(Optional.<Known>empty())
            : tenant(entry.get().tenant())
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

  // A record that changed while it was read is not kept.
  private void ended(String id, LookUp mine, Optional<Known> known) {
    boolean isAfterLoss = isAfterLoss();
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

  private boolean isAfterLoss() {
    return puttingBack.get() > 0 || nanos.getAsLong() - lossNanos < AFTER_LOSS_NANOS;
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
    return records.find(Kind.TENANT, name).thenApply(entry -> {
      tenant.read(entry, changes);
      return tenant;
    });
  }

  @Override
  public void changed(String name) {
    int colon = name.indexOf(':');
    String id = name.substring(colon + 1);
    if (name.startsWith(Kind.TENANT.word())) {
      Optional.ofNullable(tenants.getIfPresent(id)).ifPresent(Tenant::changed);
      return;
    }
    if (name.startsWith(RedisRecords.OF)) {
      aliasChanges.incrementAndGet();
      aliases.invalidate(id);
      unknown.invalidate(id);
      return;
    }
    lookUps.remove(id);
    unknown.invalidate(id);
    Known known = keys.getIfPresent(id);
    if (known != null) {
      // Read at once: requests that wait for their turn hold it, too.
      known.changed();
      lookUpEarly(id);
    }
  }

  // Of very many changes at once most keys are read when they are used.
  private void lookUpEarly(String id) {
    if (early.incrementAndGet() > MOST_EARLY) {
      early.decrementAndGet();
      return;
    }
    CompletableFuture<Optional<Known>> unused =
        lookUp(id).whenComplete((known, error) -> early.decrementAndGet());
  }

  @Override
  public void missed(int part) {
    generation.incrementAndGet();
    aliasChanges.incrementAndGet();
    lookUps.clear();
    tenants.asMap().values().forEach(Tenant::changed);
    unknown.invalidateAll();
    aliases.invalidateAll();
  }

  // What may have changed without this node's knowledge is not put back.
  @Override
  public void lost(int part) {
    lossNanos = nanos.getAsLong();
    puttingBack.incrementAndGet();
    unknown.invalidateAll();
    Lost lost = new Lost(
        keys.asMap().values().stream()
            .filter(this::isCurrent)
            .map(Known::entry)
            .filter(entry -> records.partOf(entry.id()) == part)
            .toList(),
        tenants.asMap().values().stream()
            .filter(Tenant::isCurrent)
            .flatMap(tenant -> tenant.entry().stream())
            .filter(entry -> records.partOf(entry.id()) == part)
            .toList(),
        aliases.asMap().entrySet().stream()
            .filter(alias -> records.partOf(alias.getKey()) == part)
            .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue)),
        part == 0 ? tokens.all() : List.of());
    LOG.warn(
        "Redis has lost the keys of part {}: {} that are known here are put back",
        part,
        lost.keys().size());
    CompletableFuture<Void> unused = new PuttingBack(records)
        .all(lost)
        .whenComplete((done, error) -> {
          if (error != null) {
            LOG.warn("not all keys were put back: {}", error.getMessage());
          }
          puttingBack.decrementAndGet();
          missed(part);
        });
  }
}
