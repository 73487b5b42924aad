package io.weir.keys.directory;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.weir.keys.record.Entry;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The records that a node has read, and the names of which it knows that they have none. Unknown names have a place of
 * their own, so that a flood of them displaces no record. Mutable; safe for use by many threads.
 */
final class KeyCache implements Feed.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(KeyCache.class);
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
  private final ConcurrentMap<String, LookUp> lookUps = new ConcurrentHashMap<>();
  private final AtomicInteger generation = new AtomicInteger();
  private final AtomicInteger aliasChanges = new AtomicInteger();
  private volatile long lossNanos;

  KeyCache(
      RedisRecords records, StoredTokens tokens, int most, LongSupplier nanos, KeyMeters meters) {
    this.records = records;
    this.tokens = tokens;
    this.nanos = nanos;
    this.meters = meters;
    this.keys = Caffeine.newBuilder().maximumSize(most).build();
    this.aliases = Caffeine.newBuilder().maximumSize(most).build();
    this.lossNanos = nanos.getAsLong() - AFTER_LOSS_NANOS;
    meters.known(keys::estimatedSize);
  }

  /** A look-up that is under way. Mutable; guarded by its place in the map. */
  private static final class LookUp {
    private final CompletableFuture<Optional<Known>> result = new CompletableFuture<>();
    private boolean isOutdated;
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
    LookUp mine = new LookUp();
    LookUp running = lookUps.putIfAbsent(id, mine);
    if (running != null) {
      return running.result;
    }
    int now = generation.get();
    records
        .find(Kind.KEY, id)
        .thenCompose(entry -> entry.isEmpty()
            ? CompletableFuture.completedFuture(Optional.<Known>empty())
            : tenant(entry.get().tenant())
                .thenApply(tenant -> Optional.of(new Known(entry.get(), tenant, now))))
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
    boolean isAfterLoss = nanos.getAsLong() - lossNanos < AFTER_LOSS_NANOS;
    lookUps.compute(id, (key, running) -> {
      if (mine.isOutdated) {
        return null;
      }
      if (known.isPresent()) {
        keys.put(id, known.get());
      } else {
        keys.invalidate(id);
      }
      if (known.isEmpty() && !isAfterLoss) {
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

  private CompletableFuture<Tenant> tenant(String name) {
    Tenant tenant = tenants.get(name, Tenant::new);
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
    lookUps.computeIfPresent(id, (key, running) -> {
      running.isOutdated = true;
      return running;
    });
    keys.invalidate(id);
    unknown.invalidate(id);
  }

  @Override
  public void missed(int part) {
    generation.incrementAndGet();
    tenants.asMap().values().forEach(Tenant::changed);
    unknown.invalidateAll();
    aliases.invalidateAll();
  }

  @Override
  public void lost(int part) {
    lossNanos = nanos.getAsLong();
    unknown.invalidateAll();
    List<Entry> ofKeys =
        ofPart(part, keys.asMap().values().stream().map(Known::entry).toList());
    List<Entry> ofTenants = ofPart(
        part,
        tenants.asMap().values().stream()
            .flatMap(tenant -> tenant.entry().stream())
            .toList());
    LOG.warn("Redis has lost the keys of part {}: {} of them are put back", part, ofKeys.size());
    CompletableFuture<Void> unused = new PuttingBack(records)
        .all(ofKeys, ofTenants, Map.copyOf(aliases.asMap()))
        .thenCompose(
            done -> part == 0 ? tokens.putBack() : CompletableFuture.<Void>completedFuture(null))
        .whenComplete((done, error) -> {
          if (error != null) {
            LOG.warn("not all keys were put back: {}", error.getMessage());
          }
          missed(part);
        });
  }

  private List<Entry> ofPart(int part, List<Entry> all) {
    return all.stream().filter(entry -> records.partOf(entry.id()) == part).toList();
  }
}
