package io.weir.operators.top;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.operators.top.Best.Row;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The counts of several event loops and nodes against an exact count. */
final class TopTest {
  private static final int LOOPS = 6;
  private static final int NAMES = 100_000;
  private static final int EVENTS = 1_000_000;
  private static final int TOLD = 32;
  private static final long SECOND = 1_000_000_000L;
  private static final LimitName LIMIT = new LimitName("free", "Ask", "requests");

  // A few frequent names among very many, as of Zipf's law.
  private static int name(Random random) {
    double rank = Math.exp(random.nextDouble() * Math.log(NAMES));
    return (int) rank - 1;
  }

  @Test
  void theTopTwentyAreCompleteAndTheBoundsAreTrue() {
    Random random = new Random(7);
    List<LoopCounts> loops =
        IntStream.range(0, LOOPS).mapToObj(i -> new LoopCounts()).toList();
    Map<String, Long> exact = new HashMap<>();
    for (int i = 0; i < EVENTS; i++) {
      int name = name(random);
      SubjectName who = new SubjectName("t" + name % 100, "k" + name);
      exact.merge(who.text(), 1L, Long::sum);
      // Over a minute less a slice: nothing is forgotten.
      loops.get(random.nextInt(LOOPS)).denied(who, LIMIT, 1, 50 * SECOND / EVENTS * i);
    }
    List<Counts> told =
        loops.stream().map(loop -> loop.counts(50 * SECOND, TOLD)).toList();

    Counts sum = Counts.sum(told, TOLD);

    List<String> top = exact.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()))
        .limit(20)
        .map(Map.Entry::getKey)
        .toList();
    Best keys = sum.denied().keys();
    assertThat(keys.rows().stream().map(Row::name)).containsAll(top);
    keys.rows().forEach(row -> {
      assertThat(row.atLeast()).isLessThanOrEqualTo(exact.get(row.name()));
      assertThat(row.atMost()).isGreaterThanOrEqualTo(exact.get(row.name()));
    });
    List<String> shown = keys.rows().stream().map(Row::name).toList();
    exact.forEach((name, times) -> {
      if (!shown.contains(name)) {
        assertThat(times).as(name).isLessThanOrEqualTo(keys.rest());
      }
    });
    assertThat(sum.denied().total()).isEqualTo(EVENTS);
    assertThat(sum.denied().limits().rows()).containsExactly(new Row(LIMIT.text(), EVENTS, EVENTS));
  }

  @Test
  void whatIsOlderThanAMinuteIsForgotten() {
    LoopCounts loop = new LoopCounts();
    SubjectName who = new SubjectName("acme", "k1");
    loop.denied(who, LIMIT, 1, SECOND);
    loop.near(who, LIMIT, 1, 40 * SECOND);

    assertThat(loop.counts(50 * SECOND, TOLD).denied().total()).isEqualTo(1);
    assertThat(loop.counts(62 * SECOND, TOLD).denied()).isEqualTo(Tops.NONE);
    assertThat(loop.counts(62 * SECOND, TOLD).near().keys().rows())
        .containsExactly(new Row("acme/k1", 1, 1));
    assertThat(loop.counts(200 * SECOND, TOLD)).isEqualTo(Counts.NONE);
  }

  @Test
  void aClockBelowZeroCounts() {
    LoopCounts loop = new LoopCounts();
    loop.denied(new SubjectName("acme", "k1"), LIMIT, 1, -70 * SECOND);
    loop.denied(new SubjectName("acme", "k1"), LIMIT, 1, -1);

    assertThat(loop.counts(1, TOLD).denied().total()).isEqualTo(1);
  }

  @Test
  void moreLimitsThanAreCountedShareOneBound() {
    Tally tally = new Tally();
    SubjectName who = new SubjectName("acme", "k1");
    for (int i = 0; i < 1500; i++) {
      tally.count(who, new LimitName("p", "o", "b" + i));
    }
    tally.count(who, new LimitName("p", "o", "b3"));

    Best limits = tally.tops(TOLD).limits();

    assertThat(limits.rows().get(0)).isEqualTo(new Row("p\to\tb3", 2, 2 + 1500 - 1024));
    assertThat(limits.rest()).isEqualTo(1 + 1500 - 1024);
  }

  @Test
  void whoIsInOneListOnlyMayBeInTheRestOfTheOther() {
    Best one = new Best(List.of(new Row("a", 10, 12), new Row("b", 5, 7)), 4);
    Best other = new Best(List.of(new Row("b", 6, 6)), 3);

    assertThat(Best.sum(List.of(one, other), 2))
        .isEqualTo(new Best(List.of(new Row("b", 11, 13), new Row("a", 10, 15)), 7));
    assertThat(Best.sum(List.of(one, other), 1))
        .isEqualTo(new Best(List.of(new Row("b", 11, 13)), 15));
  }

  @Test
  void theTextOfCountsIsReadAgain() {
    LoopCounts loop = new LoopCounts();
    List<SubjectName> names = new ArrayList<>();
    IntStream.range(0, 40).forEach(i -> names.add(new SubjectName("t" + i % 3, "user:\"é/" + i)));
    names.forEach(who -> loop.denied(who, LIMIT, 1, SECOND));
    names.forEach(who -> loop.near(who, LIMIT, 1, SECOND));
    Counts counts = loop.counts(SECOND, TOLD);

    assertThat(Counts.parse(counts.toJson())).isEqualTo(counts);
    assertThat(SubjectName.parse(names.get(5).text())).isEqualTo(names.get(5));
    assertThat(LimitName.parse(LIMIT.text())).isEqualTo(LIMIT);
  }
}
