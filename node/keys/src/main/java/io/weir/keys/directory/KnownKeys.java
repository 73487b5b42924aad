package io.weir.keys.directory;

import io.vertx.core.Future;
import io.weir.core.bucket.Names;
import io.weir.core.policy.Policy;
import io.weir.core.policy.SecretHash;
import io.weir.core.policy.Subject;
import io.weir.core.policy.SubjectSource;
import io.weir.core.throttle.PolicySource;
import io.weir.keys.record.KeyText;
import io.weir.keys.record.StoredRecord;
import io.weir.keys.store.ListedChange;
import io.weir.keys.store.RedisRecords;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Directory;
import io.weir.node.auth.Identities;
import io.weir.node.auth.Operator;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The keys and tenants that a node has met. A key is looked up on its first use, and kept; a change of it is found by
 * the {@link Feed}. While Redis is away, known keys go on. Mutable; safe for use by many threads.
 */
public final class KnownKeys implements Directory {
  static final ProblemDetails PLAN_MISSING =
      ProblemDetails.of(503, "plan_missing", "The policy in force has no plan for the key");
  // Used for unknown ids too, so that the response time does not reveal which ids exist.
  private static final SecretHash NOBODY = SecretHash.of("nobody");

  private final PolicySource policies;
  private final LongSupplier nanos;
  private final Feeds feeds;
  private final Strangers strangers;
  private final RefusedKeys refused;
  private final StoredTokens tokens;
  private final KeyCache cache;
  private final KeyFinder finder;
  private final RuledSubjects ruled;

  /**
   * Knows no key yet.
   *
   * @param mostBytes memory for keys, about; those that are used least are forgotten
   * @param nanos a clock that never goes back
   */
  public KnownKeys(
      RedisRecords records,
      PolicySource policies,
      long mostBytes,
      LongSupplier nanos,
      KeyMeters meters) {
    this.policies = policies;
    this.strangers = new Strangers(nanos, meters);
    this.nanos = nanos;
    RecentChanges recent = new RecentChanges(nanos);
    this.tokens = new StoredTokens(new NewestRecords(records, recent), nanos.getAsLong());
    this.cache = new KeyCache(records, tokens, recent, mostBytes, nanos, meters);
    this.refused = new RefusedKeys(cache);
    this.feeds = Feeds.of(records, nanos, cache);
    this.finder = new KeyFinder(cache, feeds, strangers);
    this.ruled = new RuledSubjects(cache, feeds, this::nowMillis);
  }

  /** Looks for changes everywhere; completes when all looks have ended, well or not. */
  public CompletableFuture<Void> look() {
    // The feed notices first that Redis has lost tokens.
    return feeds
        .look()
        .thenCompose(looked -> cache.isPuttingBack()
            ? CompletableFuture.completedFuture(null)
            : CompletableFuture.allOf(
                tokens.refresh(feeds.ofTokens().freshNanos()), cache.subjects().refresh()))
        .exceptionally(error -> null);
  }

  /** A change that this node has made counts here at once, before a look finds it. */
  public void changed(ListedChange change) {
    cache.changed(change);
  }

  /** The time by Redis's clock, in the part with the records of this name. */
  public long nowMillis(String id) {
    return feeds.of(id).nowMillis();
  }

  /** Bounds what callers without a key may look for. */
  public Strangers strangers() {
    return strangers;
  }

  /** The cache of known keys. */
  KeyCache cache() {
    return cache;
  }

  @Override
  public Optional<Operator> operator(String token) {
    return tokens.operator(token, feeds.ofTokens().nowMillis(), nanos.getAsLong());
  }

  @Override
  public Future<Optional<Subject>> ofKey(String shown, Optional<String> address) {
    Optional<KeyText> text = KeyText.parse(shown);
    if (text.isEmpty()) {
      return KeyText.isOpaque(shown) ? ofOpaqueKey(shown, address) : nobody();
    }
    return opened(text.get().id(), text.get().secret(), address)
        // The text before a dot may be the id of another key by chance.
        .compose(subject -> subject.isEmpty() && KeyText.isOpaque(shown)
            ? ofOpaqueKey(shown, address)
            : Future.succeededFuture(subject));
  }

  private Future<Optional<Subject>> opened(String id, String secret, Optional<String> address) {
    return opens(cache.get(id), secret)
        ? finder
            .find(id, address)
            .compose(known -> opens(known, secret)
                ? usable(known.orElseThrow())
                : afterReading(id, secret, address))
        : afterReading(id, secret, address);
  }

  // Another node may have made the key, or given it this secret, a moment ago: before a refusal the
  // node reads the record. It does so whether or not there is one, and at the same cost, so that
  // neither the time nor the bound of wrong keys reveals which ids exist.
  private Future<Optional<Subject>> afterReading(
      String id, String secret, Optional<String> address) {
    String keyHash = SecretHash.of(id + "." + secret).compact();
    return CallerContext.afterLooking(feeds.of(id)).compose(isFresh -> {
      if (!isFresh) {
        return KeyFinder.unavailable();
      }
      if (refused.contains(keyHash, id)) {
        return nobody();
      }
      return strangers
          .charged(
              address,
              () -> CallerContext.await(cache.lookUpNow(id)),
              known -> opens(known, secret))
          .compose(known -> {
            if (opens(known, secret)) {
              return finder.find(id, address).compose(it -> opened(it, secret));
            }
            refused.add(keyHash, known);
            return nobody();
          });
    });
  }

  // A key from elsewhere, whose text has no id, is found by the hash of it.
  private Future<Optional<Subject>> ofOpaqueKey(String shown, Optional<String> address) {
    String hash = SecretHash.of(shown).compact();
    Optional<String> alias = cache.aliases().id(hash);
    if (alias.isEmpty() && cache.isUnknown(hash) && feeds.of(hash).isFresh()) {
      return nobody();
    }
    Future<Optional<String>> id = alias.isPresent()
        ? Future.succeededFuture(alias)
        : finder.lookedUp(address, () -> cache.aliases().lookUp(hash));
    return id.compose(found -> found.isEmpty()
        ? nobody()
        : finder.find(found.get(), address).compose(key -> opened(key, shown)));
  }

  /**
   * The record of a tenant, if it has one; fails with {@link RefusedException} if it cannot be read, or if the tenant may
   * not be used.
   */
  public Future<Optional<StoredRecord>> tenant(String name) {
    return CallerContext.afterLooking(feeds.of(name))
        .compose(isFresh -> isFresh
            ? CallerContext.await(cache.tenant(name))
            : cache
                .knownTenant(name)
                .map(Future::succeededFuture)
                .orElseGet(KeyFinder::unavailable))
        .recover(error -> Future.failedFuture(RefusedException.of(error)))
        .map(tenant -> tenant.entry().map(entry -> {
          if (!entry.isUsableAt(nowMillis(name))) {
            throw Identities.invalid();
          }
          return entry;
        }));
  }

  private static Future<Optional<Subject>> nobody() {
    return Future.succeededFuture(Optional.empty());
  }

  private Future<Optional<Subject>> opened(Optional<Known> known, String secret) {
    return opens(known, secret) ? usable(known.orElseThrow()) : nobody();
  }

  private boolean opens(Optional<Known> known, String secret) {
    if (known.isEmpty()) {
      boolean unused = NOBODY.matches(secret);
      return false;
    }
    StoredRecord entry = known.get().entry();
    return entry.isOpenedBy(secret, nowMillis(entry.name().id()));
  }

  @Override
  public Future<Optional<Subject>> named(String name, Supplier<Optional<Subject>> covered) {
    return named(name, Optional.empty(), covered)
        .compose(found -> found
                .filter(subject -> subject.source() instanceof SubjectSource.OfPolicy)
                .isPresent()
            ? ofRule(name, policies.current().policy())
            : Future.succeededFuture(found));
  }

  @Override
  public Future<Optional<Subject>> ofRule(String name, Policy policy) {
    return ruled.find(name, policy);
  }

  /** The same by a record of this tenant alone, if there is one. */
  public Future<Optional<Subject>> named(
      String name, Optional<String> tenant, Supplier<Optional<Subject>> covered) {
    return Names.isId(name)
        ? recorded(name, tenant, covered)
        : hasRecord(name)
            .compose(hasRecord -> hasRecord
                ? recorded(name, tenant, covered).recover(error -> unread(name, covered, error))
                : Future.succeededFuture(covered.get()));
  }

  // While names cannot be read, records of more subjects are asked for than can be looked up.
  private Future<Optional<Subject>> unread(
      String name, Supplier<Optional<Subject>> covered, Throwable error) {
    return Strangers.isBusy(error)
            && !cache.subjects().contains(name)
            && covered.get().isPresent()
        ? Future.succeededFuture(covered.get())
        : Future.failedFuture(error);
  }

  // A record may have been made while this node was paused.
  private Future<Boolean> hasRecord(String name) {
    return CallerContext.afterLooking(feeds.of(name))
        .compose(isFresh -> isFresh
            ? CallerContext.await(cache.subjects().find(name))
            : Future.succeededFuture(cache.subjects().contains(name)));
  }

  private Future<Optional<Subject>> recorded(
      String name, Optional<String> tenant, Supplier<Optional<Subject>> covered) {
    boolean isUnread = feeds.of(name).isAway() && cache.get(name).isEmpty();
    return isUnread && covered.get().isPresent()
        ? Future.succeededFuture(covered.get())
        : finder
            .find(name, Optional.empty())
            .map(known -> known.filter(
                it -> tenant.isEmpty() || tenant.get().equals(it.entry().name().tenant())))
            .compose(known ->
                known.isPresent() ? usable(known.get()) : Future.succeededFuture(covered.get()));
  }

  private Future<Optional<Subject>> usable(Known known) {
    long nowMillis = nowMillis(known.entry().name().id());
    boolean isOfPolicy =
        policies.current().policy().listed(known.entry().name().id()).isPresent();
    if (isOfPolicy || !known.isUsableAt(nowMillis)) {
      return nobody(); // what the policy lists wins
    }
    Optional<Subject> subject = known.subject(
        policies.current().policy(), nowMillis, new KeySource(known, cache, this::nowMillis));
    if (subject.isEmpty()) {
      return Future.failedFuture(new RefusedException(PLAN_MISSING));
    }
    return Future.succeededFuture(subject);
  }
}
