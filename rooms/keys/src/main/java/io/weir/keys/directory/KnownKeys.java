package io.weir.keys.directory;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.weir.core.bucket.Names;
import io.weir.core.policy.Policy;
import io.weir.core.policy.SecretHash;
import io.weir.core.policy.Subject;
import io.weir.core.policy.SubjectSource;
import io.weir.core.throttle.Failures;
import io.weir.core.throttle.PolicySource;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.keys.record.Entry;
import io.weir.keys.record.KeyText;
import io.weir.keys.store.RedisRecords;
import io.weir.keys.store.RedisTokens;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Directory;
import io.weir.node.auth.Identities;
import io.weir.node.auth.Operator;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The keys and tenants that a node has met. A key is looked up on its first use, and kept; a change of it is found by
 * the {@link Feed}. While Redis is away, known keys go on. Mutable; safe for use by many threads.
 */
public final class KnownKeys implements Directory {
  private static final Future<Boolean> FRESH = Future.succeededFuture(true);
  private static final ProblemDetails BUSY = ProblemDetails.of(
      503, "keys_busy", "Too many unknown keys are being looked up: the key may be valid");
  private static final ProblemDetails PLAN_MISSING =
      ProblemDetails.of(503, "plan_missing", "The policy in force has no plan for the key");
  // Used for unknown ids too, so that the response time does not reveal which ids exist.
  private static final SecretHash NOBODY = SecretHash.of("nobody");

  private final PolicySource policies;
  private final LongSupplier nanos;
  private final Feeds feeds;
  private final MissBudget budget;
  private final KeyMeters meters;
  private final StoredTokens tokens;
  private final KeyCache cache;

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
    this.budget = new MissBudget(nanos);
    this.meters = meters;
    this.nanos = nanos;
    RecentChanges recent = new RecentChanges(nanos);
    this.tokens = new StoredTokens(new RedisTokens(records), recent, nanos.getAsLong());
    this.cache = new KeyCache(records, tokens, recent, mostBytes, nanos, meters);
    this.feeds = Feeds.of(records, nanos, cache);
  }

  /** Looks for changes everywhere; completes when all looks have ended, well or not. */
  public CompletableFuture<Void> look() {
    // The feed notices first that Redis has lost tokens.
    return feeds
        .look()
        .thenCompose(looked -> cache.isPuttingBack()
            ? CompletableFuture.completedFuture(null)
            : tokens.refresh(feeds.ofTokens().freshNanos()))
        .exceptionally(error -> null);
  }

  /** The time by Redis's clock, in the part with the records of this name. */
  public long nowMillis(String id) {
    return feed(id).nowMillis();
  }

  /** What is known. */
  KeyCache cache() {
    return cache;
  }

  private Feed feed(String id) {
    return feeds.of(id);
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

  // Another node may have given the key this secret a moment ago: before a refusal the node looks,
  // twice, as a look that
  // was under way may be older. Wrong secrets are bounded as unknown keys are.
  private Future<Optional<Subject>> opened(String id, String secret, Optional<String> address) {
    return found(id, address)
        .compose(known -> opened(known, secret).compose(subject -> {
          boolean isOver = subject.isPresent() || known.isEmpty() || !budget.tryTake(address);
          return isOver
              ? Future.succeededFuture(subject)
              : inContext(feed(id).look())
                  .compose(looked -> inContext(feed(id).look()))
                  .transform(looked -> found(id, address))
                  .compose(newer -> opened(newer, secret))
                  .onSuccess(found -> found.ifPresent(it -> budget.giveBack(address)));
        }));
  }

  // A key from elsewhere, whose text has no id, is found by the hash of it.
  private Future<Optional<Subject>> ofOpaqueKey(String shown, Optional<String> address) {
    String hash = SecretHash.of(shown).compact();
    Optional<String> alias = cache.alias(hash);
    if (alias.isEmpty() && cache.isUnknown(hash) && feed(hash).isFresh()) {
      return nobody();
    }
    Future<Optional<String>> id = alias.isPresent()
        ? Future.succeededFuture(alias)
        : lookedUp(address, () -> cache.lookUpAlias(hash));
    return id.compose(found -> found.isEmpty()
        ? nobody()
        : found(found.get(), address).compose(key -> opened(key, shown)));
  }

  // A look-up that finds something costs its address nothing.
  private <T> Future<Optional<T>> lookedUp(
      Optional<String> address, Supplier<CompletableFuture<Optional<T>>> lookUp) {
    return charged(address, () -> inContext(lookUp.get()), Optional::isPresent);
  }

  /**
   * Finds something for a caller that may be a stranger: an address may miss so often, and no more.
   *
   * @param isFound whether the search was for something
   */
  public <T> Future<T> charged(
      Optional<String> address, Supplier<Future<T>> search, Predicate<T> isFound) {
    if (!budget.tryTake(address)) {
      meters.refused();
      return Future.failedFuture(new RefusedException(BUSY));
    }
    return search
        .get()
        .onComplete(done -> {
          if (done.failed() || isFound.test(done.result())) {
            budget.giveBack(address);
          }
        })
        .recover(error -> Future.failedFuture(RefusedException.of(error)));
  }

  /**
   * The record of a tenant, if it has one; fails with {@link RefusedException} if it cannot be read, or if the tenant may
   * not be used.
   */
  public Future<Optional<Entry>> tenant(String name) {
    return afterLooking(feed(name))
        .compose(isFresh -> isFresh
            ? inContext(cache.tenant(name))
            : cache
                .knownTenant(name)
                .map(Future::succeededFuture)
                .orElseGet(KnownKeys::unavailable))
        .recover(error -> Future.failedFuture(RefusedException.of(error)))
        .map(tenant -> tenant.entry().map(entry -> {
          if (!entry.isUsableAt(nowMillis(name))) {
            throw Identities.invalid();
          }
          return entry;
        }));
  }

  private static <T> Future<T> unavailable() {
    return Future.failedFuture(new RefusedException(ProblemDetails.unavailable()));
  }

  private static Future<Optional<Subject>> nobody() {
    return Future.succeededFuture(Optional.empty());
  }

  private Future<Optional<Subject>> opened(Optional<Known> known, String secret) {
    long now = known.map(key -> nowMillis(key.entry().id())).orElse(0L);
    boolean opens =
        known.isPresent() ? known.get().entry().isOpenedBy(secret, now) : NOBODY.matches(secret);
    return opens && known.isPresent() ? usable(known.get(), now) : nobody();
  }

  @Override
  public Future<Optional<Subject>> named(String name, Supplier<Optional<Subject>> covered) {
    if (!Names.isId(name)) {
      return Future.succeededFuture(covered.get());
    }
    boolean isUnread = feed(name).isAway() && cache.get(name).isEmpty();
    return isUnread && covered.get().isPresent()
        ? Future.succeededFuture(covered.get())
        : found(name, Optional.empty())
            .compose(known -> known.isPresent()
                ? usable(known.get(), nowMillis(name))
                : Future.succeededFuture(covered.get()));
  }

  private Future<Optional<Subject>> usable(Known known, long nowMillis) {
    boolean isOfPolicy = policies.current().policy().listed(known.entry().id()).isPresent();
    if (isOfPolicy || !known.isUsableAt(nowMillis)) {
      return nobody(); // what the policy lists wins
    }
    Optional<Subject> subject =
        known.subject(policies.current().policy(), nowMillis, new Source(known));
    if (subject.isEmpty()) {
      return Future.failedFuture(new RefusedException(PLAN_MISSING));
    }
    return Future.succeededFuture(subject);
  }

  /** Finds the record of a key again: the newest that this node knows. */
  private final class Source implements SubjectSource {
    private final Known known;

    Source(Known known) {
      this.known = known;
    }

    @Override
    public Optional<Subject> in(Policy policy) {
      String id = known.entry().id();
      Optional<Known> newest = cache.get(id);
      Known used = newest.orElse(known);
      long now = nowMillis(id);
      boolean isGone = newest.isEmpty() && known.hasChanged();
      return isGone || policy.listed(id).isPresent() || !used.isUsableAt(now)
          ? Optional.empty()
          : used.subject(policy, now, this);
    }
  }

  private Future<Optional<Known>> found(String id, Optional<String> address) {
    return afterLooking(feed(id)).compose(isFresh -> {
      if (!isFresh) {
        return asKnown(id);
      }
      return whileFresh(id, address).compose(known -> {
        Feed ofTenant = known.map(it -> feed(it.tenant().name())).orElse(feed(id));
        return ofTenant.isFresh()
            ? Future.succeededFuture(known)
            : afterLooking(ofTenant)
                .compose(looked -> looked ? whileFresh(id, address) : asKnown(id));
      });
    });
  }

  private static Future<Boolean> afterLooking(Feed feed) {
    return feed.isFresh() ? FRESH : inContext(feed.afterLooking());
  }

  private Future<Optional<Known>> whileFresh(String id, Optional<String> address) {
    Optional<Known> known = cache.get(id);
    if (known.isPresent() && cache.isCurrent(known.get())) {
      return Future.succeededFuture(known);
    }
    if (known.isPresent()) {
      return inContext(cache.lookUp(id)).recover(error -> afterFailure(id, error));
    }
    return cache.isUnknown(id)
        ? Future.succeededFuture(Optional.empty())
        : lookedUp(address, () -> cache.lookUp(id));
  }

  private Future<Optional<Known>> afterFailure(String id, Throwable error) {
    return Failures.cause(error) instanceof StoreUnavailableException
        ? asKnown(id)
        : Future.failedFuture(RefusedException.of(error));
  }

  private Future<Optional<Known>> asKnown(String id) {
    return cache.get(id).isPresent() ? Future.succeededFuture(cache.get(id)) : unavailable();
  }

  private static <T> Future<T> inContext(CompletableFuture<T> stage) {
    var context = Vertx.currentContext();
    return context == null
        ? Future.fromCompletionStage(stage)
        : Future.fromCompletionStage(stage, context);
  }
}
