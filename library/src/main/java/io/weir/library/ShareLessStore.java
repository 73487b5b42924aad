package io.weir.library;

import io.weir.core.policy.FailureMode;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import java.util.concurrent.CompletionStage;

/** The store of a program that is no node: it has no share of the limits while Redis is away, and denies then. */
record ShareLessStore(BucketStore store) implements BucketStore {
  @Override
  public CompletionStage<StoreAnswer> tryCharge(Charge charge) {
    return store.tryCharge(withoutShare(charge));
  }

  @Override
  public CompletionStage<StoreAnswer> peek(Charge charge) {
    return store.peek(withoutShare(charge));
  }

  private static Charge withoutShare(Charge charge) {
    return charge.failureMode() == FailureMode.LOCAL
        ? new Charge(
            charge.tenant(),
            charge.subject(),
            charge.revision(),
            charge.amount(),
            charge.queueing(),
            FailureMode.DENY)
        : charge;
  }
}
