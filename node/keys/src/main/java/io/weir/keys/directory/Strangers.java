package io.weir.keys.directory;

import io.vertx.core.Future;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.MissBudget;
import io.weir.node.auth.TokenBucket;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Bounds what callers may look for before it is known who they are. Safe for use by many threads. */
public final class Strangers {
  private static final ProblemDetails BUSY = ProblemDetails.of(
      503, "keys_busy", "Too many unknown keys are being looked up: the key may be valid");

  private static final int SERVICES_RATE = 300;
  /** A service may ask for 1000 keys in one request. */
  private static final int SERVICES_BURST = 2000;

  private final MissBudget ofStrangers;
  private final TokenBucket ofServices;
  private final KeyMeters meters;

  Strangers(LongSupplier nanos, KeyMeters meters) {
    this.ofStrangers = new MissBudget(nanos);
    this.ofServices = new TokenBucket(SERVICES_RATE, SERVICES_BURST, nanos);
    this.meters = meters;
  }

  /**
   * Finds something for a caller that may be a stranger: an address may miss so often, and no more.
   *
   * @param address that the caller has; empty for one of the services
   * @param isFound whether the search was for something
   */
  public <T> Future<T> charged(
      Optional<String> address, Supplier<Future<T>> search, Predicate<T> isFound) {
    if (!tryTake(address)) {
      meters.refused();
      return Future.failedFuture(new RefusedException(BUSY));
    }
    return search
        .get()
        .onComplete(done -> {
          if (done.failed() || isFound.test(done.result())) {
            giveBack(address);
          }
        })
        .recover(error -> Future.failedFuture(RefusedException.of(error)));
  }

  /** Whether a search failed because there were too many. */
  static boolean isBusy(Throwable error) {
    return error instanceof RefusedException refused && refused.problem().equals(BUSY);
  }

  private boolean tryTake(Optional<String> address) {
    return address.map(ofStrangers::tryTake).orElseGet(ofServices::tryTake);
  }

  private void giveBack(Optional<String> address) {
    address.ifPresentOrElse(ofStrangers::giveBack, ofServices::giveBack);
  }
}
