package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * A store that asks each charge together with charges of other subjects, in batches of every size in turn. It checks
 * the answers of the others; the charge itself gets the answer that it would get alone. Not safe for use by many
 * threads.
 */
public final class CrowdedStore implements BucketStore {
  private static final Demand ONE = Demand.of(new Bucket("one", Scope.KEY, 1, 1_000_000));

  private final BucketStore store;
  private final Executor turn;
  private final int largest;
  private int asked;

  /**
   * @param turn runs a task so that all its charges are asked together
   * @param largest the largest number of other charges
   */
  public CrowdedStore(BucketStore store, Executor turn, int largest) {
    this.store = store;
    this.turn = turn;
    this.largest = largest;
  }

  @Override
  public CompletionStage<StoreAnswer> tryCharge(Charge charge) {
    asked++;
    int number = asked;
    int others = number % (largest + 1);
    CompletableFuture<CompletionStage<StoreAnswer>> answer = new CompletableFuture<>();
    turn.execute(() -> {
      List<CompletableFuture<Void>> neighbours = new ArrayList<>();
      for (int i = 0; i < others / 2; i++) {
        neighbours.add(neighbour(number, i));
      }
      CompletionStage<StoreAnswer> told = store.tryCharge(charge);
      for (int i = others / 2; i < others; i++) {
        neighbours.add(neighbour(number, i));
      }
      CompletableFuture<Void> checked =
          CompletableFuture.allOf(neighbours.toArray(CompletableFuture[]::new));
      answer.complete(told.thenCombine(checked, (decided, done) -> decided));
    });
    return answer.thenCompose(stage -> stage);
  }

  @Override
  public CompletionStage<StoreAnswer> peek(Charge charge) {
    return store.peek(charge);
  }

  // A bucket of one operation: the first charge is allowed, the second denied, a charge of two
  // never allowed.
  private CompletableFuture<Void> neighbour(int number, int i) {
    Class<? extends Decision> expected =
        List.of(Allowed.class, Denied.class, NeverAllowed.class).get(i % 3);
    String subject = "neighbour-%d-%d".formatted(number, i / 3);
    long cost = i % 3 == 2 ? 2 : 1;
    return store
        .tryCharge(new Charge("crowd", subject, 1L << 40, List.of(ONE), cost))
        .thenAccept(answer -> assertThat(((Decided) answer).decision()).isInstanceOf(expected))
        .toCompletableFuture();
  }
}
