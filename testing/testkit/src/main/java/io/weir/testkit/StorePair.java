package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Two stores with one contract, on one clock: each call is made on both, and their answers must be equal. A failure
 * shows the seed of the history and its last steps. Mutable; owned by one test.
 *
 * @param <S> the interface of the stores
 */
public final class StorePair<S> {
  private static final int STEPS_SHOWN = 60;

  private final long seed;
  private final ManualClock clock;
  private final S model;
  private final S other;
  private final Deque<String> story = new ArrayDeque<>();
  private final Map<String, Long> seen = new TreeMap<>();
  private long steps;

  public StorePair(long seed, ManualClock clock, S model, S other) {
    this.seed = seed;
    this.clock = clock;
    this.model = model;
    this.other = other;
  }

  /**
   * Makes a call on both stores and returns their answer.
   *
   * @param text the call; its first word is counted, with the type of the answer
   */
  public <A> A ask(String text, Function<S, CompletionStage<A>> call) {
    steps++;
    note(steps + ". " + clock.getAsLong() + " " + text);
    A expected = answer(model, call);
    note("  -> " + expected);
    assertThat(answer(other, call)).describedAs("%s", this).isEqualTo(expected);
    count(text.split(" ", 2)[0] + " " + expected.getClass().getSimpleName());
    return expected;
  }

  /** Counts an event. */
  public void count(String what) {
    seen.merge(what, 1L, Long::sum);
  }

  /** The events and their counts. */
  public Map<String, Long> seen() {
    return Map.copyOf(seen);
  }

  /** The number of answers compared. */
  public long steps() {
    return steps;
  }

  private void note(String line) {
    story.addLast(line);
    if (story.size() > STEPS_SHOWN) {
      story.removeFirst();
    }
  }

  private <A> A answer(S store, Function<S, CompletionStage<A>> call) {
    try {
      return call.apply(store).toCompletableFuture().join();
    } catch (CompletionException e) {
      throw new AssertionError(toString(), e);
    }
  }

  @Override
  public String toString() {
    return "seed " + seed + ", after\n" + String.join("\n", story);
  }
}
