package io.weir.keys.directory;

import io.vertx.core.Future;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Bounds what callers may look for before it is known who they are. Safe for use by many threads. */
public final class Strangers {
  private static final ProblemDetails BUSY = ProblemDetails.of(
      503, "keys_busy", "Too many unknown keys are being looked up: the key may be valid");

  private final MissBudget budget;
  private final KeyMeters meters;

  Strangers(MissBudget budget, KeyMeters meters) {
    this.budget = budget;
    this.meters = meters;
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
}
