package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/**
 * Runs generated histories, one for each seed from {@link Histories#firstSeed}. {@code -Dweir.scenario.seeds} and
 * {@code -Dweir.scenario.steps} set how many there are and their length.
 */
public final class HistoryRun {
  private static final int SEEDS =
      Integer.getInteger("weir.scenario.seeds", Histories.count(5, 300));
  private static final int STEPS_BETWEEN_CHECKS = 50;

  private HistoryRun() {}

  /** Makes a history. */
  @FunctionalInterface
  public interface Maker {
    /** Makes the history of this seed, both of whose stores use this clock. */
    History make(long seed, ManualClock clock);
  }

  /**
   * Runs all histories and returns the events in them and their counts.
   *
   * @param test the name under which the counts are printed
   * @param steps the length of each history, unless the property sets another
   * @param check is called with the seed after the first step of each history, and from there after every 50th
   */
  public static Map<String, Long> of(String test, int steps, Maker maker, LongConsumer check) {
    Map<String, Long> seen = new TreeMap<>();
    long answers = 0;
    int length = Integer.getInteger("weir.scenario.steps", steps);
    long first = Histories.firstSeed();
    for (long seed = first; seed < first + SEEDS; seed++) {
      History history = maker.make(seed, new ManualClock());
      for (int i = 0; i < length; i++) {
        history.step();
        if (i % STEPS_BETWEEN_CHECKS == 0) {
          check.accept(seed);
        }
      }
      history.stores().seen().forEach((what, times) -> seen.merge(what, times, Long::sum));
      answers += history.stores().steps();
    }
    System.out.println(test + ", seeds from " + first + ": " + answers + " answers, " + seen);
    return seen;
  }

  /** Fails if an event is missing, provided that all histories ran: a few of them need not contain everything. */
  public static void requireInAll(Map<String, Long> seen, String... events) {
    if (Histories.areThorough()) {
      assertThat(seen).containsKeys(events);
    }
  }
}
