package io.weir.jobs.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Long values on their way to Redis: how many bytes at a time, and in which order. */
final class LongValuesTest {
  private final LongValues values = new LongValues();
  /** Calls that were made, in order; each ends when the test completes it. */
  private final List<CompletableFuture<Integer>> made = new ArrayList<>();

  private CompletableFuture<Integer> call(long length) {
    CompletionStage<Integer> answer = values.call(length, () -> {
      CompletableFuture<Integer> one = new CompletableFuture<>();
      made.add(one);
      return one;
    });
    return answer.toCompletableFuture();
  }

  @Test
  void noMoreBytesAreOnTheirWayThanTheBound() {
    List<CompletableFuture<Integer>> asked =
        IntStream.range(0, 10).mapToObj(i -> call(LongValues.MOST / 2)).toList();
    assertThat(made).hasSize(2);
    made.get(1).complete(1);
    assertThat(asked.get(1)).isCompletedWithValue(1);
    assertThat(made).hasSize(3);
    made.get(0).complete(0);
    made.get(2).complete(2);
    assertThat(made).hasSize(5);
    assertThat(asked.get(0)).isCompletedWithValue(0);
    assertThat(asked.get(3)).isNotDone();
  }

  @Test
  void aValueLongerThanTheBoundGoesAloneAndShortOnesDoNotWait() {
    CompletableFuture<Integer> longest = call(10 * LongValues.MOST);
    CompletableFuture<Integer> next = call(LongValues.SHORT + 1);
    assertThat(made).hasSize(1);
    assertThat(call(LongValues.SHORT)).isNotDone();
    assertThat(made).hasSize(2);
    made.get(0).complete(0);
    assertThat(longest).isCompletedWithValue(0);
    assertThat(made).hasSize(3);
    assertThat(next).isNotDone();
  }

  @Test
  void aFailureFreesItsBytesAndAnOutageFailsWhatWaits() {
    List<CompletableFuture<Integer>> asked =
        IntStream.range(0, 4).mapToObj(i -> call(LongValues.MOST)).toList();
    made.get(0).completeExceptionally(new IllegalStateException("one value is broken"));
    assertThat(asked.get(0)).isCompletedExceptionally();
    assertThat(made).hasSize(2);
    StoreUnavailableException away =
        new StoreUnavailableException(StoreFault.UNREACHABLE, "away", null);
    made.get(1).completeExceptionally(away);
    assertThat(asked).allMatch(CompletableFuture::isCompletedExceptionally);
    assertThatThrownBy(() -> asked.get(3).getNow(0)).hasCause(away);
    assertThat(made).hasSize(2);
    assertThat(call(LongValues.MOST)).isNotDone();
    assertThat(made).hasSize(3);
  }

  @Test
  void thousandsOfCallsThatEndAtOnceDoNotNest() {
    CompletableFuture<Integer> first = call(LongValues.MOST);
    List<CompletableFuture<Integer>> asked = IntStream.range(0, 100_000)
        .mapToObj(i -> values
            .call(LongValues.MOST, () -> CompletableFuture.completedFuture(i))
            .toCompletableFuture())
        .toList();
    made.get(0).complete(0);
    assertThat(first).isCompletedWithValue(0);
    assertThat(asked).allMatch(CompletableFuture::isDone);
  }
}
