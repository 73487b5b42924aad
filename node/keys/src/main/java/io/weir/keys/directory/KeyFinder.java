package io.weir.keys.directory;

import io.vertx.core.Future;
import io.weir.core.throttle.Failures;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Finds records as a node knows them, or by a look-up. While Redis is away, those that are known go on. Safe for use by
 * many threads.
 */
record KeyFinder(KeyCache cache, Feeds feeds, Strangers strangers) {
  /** The record of a key or a subject, by this address if a caller shows a key. */
  Future<Optional<Known>> find(String id, Optional<String> address) {
    return CallerContext.afterLooking(feeds.of(id)).compose(isFresh -> {
      if (!isFresh) {
        return asKnown(id);
      }
      return whileFresh(id, address).compose(known -> {
        Feed ofTenant = known.map(it -> feeds.of(it.tenant().name())).orElse(feeds.of(id));
        return ofTenant.isFresh()
            ? Future.succeededFuture(known)
            : CallerContext.afterLooking(ofTenant)
                .compose(looked -> looked ? whileFresh(id, address) : asKnown(id));
      });
    });
  }

  private Future<Optional<Known>> whileFresh(String id, Optional<String> address) {
    Optional<Known> known = cache.get(id);
    if (known.isPresent() && cache.isCurrent(known.get())) {
      return Future.succeededFuture(known);
    }
    if (known.isPresent()) {
      return CallerContext.await(cache.lookUp(id)).recover(error -> afterFailure(id, error));
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

  /** Looks something up; what is found costs the address nothing. */
  <T> Future<Optional<T>> lookedUp(
      Optional<String> address, Supplier<CompletableFuture<Optional<T>>> lookUp) {
    return strangers.charged(address, () -> CallerContext.await(lookUp.get()), Optional::isPresent);
  }

  /** Redis is away. */
  static <T> Future<T> unavailable() {
    return Future.failedFuture(new RefusedException(ProblemDetails.unavailable()));
  }
}
