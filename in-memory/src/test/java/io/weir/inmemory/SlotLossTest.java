package io.weir.inmemory;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Scope;
import io.weir.core.slot.SlotMode;
import io.weir.inmemory.Crowd.Caller;
import io.weir.inmemory.Crowd.Return;
import io.weir.testkit.Histories;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Many callers of one key ask again and again: slots use as much of the limit as without them. */
@Tag("engine")
final class SlotLossTest {
  private static final long SEED = 7;
  private static final long SECONDS = 40;

  /** A limit and the number of its callers. */
  record Load(long perSecond, long burstMillis, int callers) {}

  static Stream<Load> loads() {
    Stream<Load> quick = Stream.of(new Load(10, 1000, 60), new Load(10, 10_000, 60));
    Stream<Load> more =
        Stream.of(new Load(100, 1000, 200), new Load(100, 1000, 600), new Load(1000, 200, 2000));
    return Histories.areThorough() ? Stream.concat(quick, more) : quick;
  }

  @ParameterizedTest
  @MethodSource("loads")
  void slotsAdmitAsManyAsWithoutThem(Load load) {
    for (Returns way : Returns.values()) {
      slotsAdmitAsMany(load, List.of(way), leastPart(load, way));
    }
  }

  @Test
  void slotsAdmitAsManyIfEachReturnsInAnotherWay() {
    slotsAdmitAsMany(new Load(100, 1000, 200), List.of(Returns.values()), 0.97);
  }

  // Callers that all return after the same fixed time, whatever they are told, come in crowds that
  // miss most places; if a burst is shorter than they need to spread, slots lose much.
  private static double leastPart(Load load, Returns way) {
    if (way != Returns.FIXED_2_5_S) {
      return 0.97;
    }
    return load.burstMillis() < 1000 ? 0.4 : 0.75;
  }

  private static void slotsAdmitAsMany(Load load, List<? extends Return> ways, double least) {
    // To the millisecond, the same wait for all callers admits few of them: they are compared with
    // the limit.
    double off = ways.contains(Returns.TO_THE_MILLISECOND) ? 1 : used(load, ways, 0, SlotMode.OFF);
    for (int withTickets : List.of(0, 50, 100)) {
      assertThat(used(load, ways, withTickets, SlotMode.RESERVE))
          .describedAs("%s, %s, %d %% with tickets", load, ways, withTickets)
          .isGreaterThanOrEqualTo(least * off);
    }
  }

  private static double used(
      Load load, List<? extends Return> ways, int withTickets, SlotMode mode) {
    Crowd crowd = new Crowd(Scope.KEY, load.perSecond() * 1000, load.burstMillis(), mode, SEED);
    for (int i = 0; i < load.callers(); i++) {
      Return way = ways.get(i % ways.size());
      crowd.comes(
          crowd.random.nextLong(Crowd.SECOND),
          new Caller("k", i % 100 < withTickets, way).again(10_000));
    }
    return crowd.run(SECONDS).used(10, SECONDS);
  }
}
