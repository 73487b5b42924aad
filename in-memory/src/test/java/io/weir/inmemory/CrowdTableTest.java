package io.weir.inmemory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Rate;
import io.weir.core.bucket.Scope;
import io.weir.core.slot.SlotMode;
import io.weir.inmemory.Crowd.Caller;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Compares what crowds get of limits, from 10,000/s to 1/month, with a table, so that nothing gets worse unseen.
 * {@code used} and {@code attempts} are those of a closed crowd, whose callers ask again at once after each admission;
 * the others of callers that need one admission each. With {@code -Dweir.write=true} the table is written anew; each
 * build tries a part of it, and {@code -Dweir.thorough=true} all.
 */
final class CrowdTableTest {
  private static final Path TABLE =
      Path.of("src/test/resources/io/weir/inmemory/crowds.csv").toAbsolutePath();
  private static final String HEAD =
      "scope,every_us,capacity,cost,callers,returns,within_us,used,attempts,last,herd_attempts";
  private static final long SECOND = 1_000_000;
  private static final long DAY = 86_400 * SECOND;
  private static final long NETWORK = 3000;
  private static final int EACH_BUILD = 60;
  private static final double[] PARTS = {0, 0.1, 0.51, 0.6, 1};
  private static final long[] INTERVALS = {
    100, 10_000, 100_000, SECOND, 10 * SECOND, 60 * SECOND, 3600 * SECOND, DAY, 30 * DAY
  };

  /** With tickets to the microsecond, after whole seconds, or half of the callers each. */
  private enum Kind {
    TICKETS,
    SECONDS,
    HALF;

    Caller caller(String key, int number) {
      return this == TICKETS || (this == HALF && number % 2 == 0)
          ? new Caller(key, true, Crowd.asTold(NETWORK))
          : new Caller(key, false, Crowd.wholeSeconds(NETWORK));
    }
  }

  /** Callers of one key of a bucket of its own, or of three keys of a bucket of their tenant. */
  private record Cell(
      Scope scope,
      long everyMicros,
      long capacity,
      long cost,
      int callers,
      Kind returns,
      long withinMicros) {
    Crowd crowd() {
      Bucket bucket =
          new Bucket("b", scope, new Rate(1, everyMicros), capacity * everyMicros / 1000);
      return new Crowd(bucket, cost, SlotMode.RESERVE, 1);
    }

    /** The part of the limit that callers with tickets use at least, if they are many. */
    double leastWithTickets() {
      boolean isShared = scope == Scope.TENANT;
      return isShared && cost == capacity ? capacity == 1 ? 0.91 : 0.72 : 0.93;
    }

    Caller caller(int number) {
      return returns.caller(scope == Scope.KEY ? "k" : "k" + number % 3, number);
    }

    double needSeconds() {
      return (double) cost * everyMicros / SECOND;
    }

    long closedSeconds() {
      return (long) Math.max(everyMicros < 1000 ? 5 : 20, 200 * needSeconds());
    }

    /** When the last of callers that need one admission is admitted at the earliest. */
    double idealSeconds() {
      return Math.max(0, (double) (callers * cost - capacity) * everyMicros / SECOND);
    }

    String name() {
      return "%s,%d,%d,%d,%d,%s,%d"
          .formatted(scope, everyMicros, capacity, cost, callers, returns, withinMicros);
    }
  }

  /**
   * @param used the part of the limit that a closed crowd uses; {@code last} the seconds beyond the ideal until each
   *     has had one admission, in needs
   */
  private record Row(Cell cell, double used, double attempts, double last, double herdAttempts) {
    String line() {
      return cell.name()
          + String.format(Locale.ROOT, ",%.3f,%.2f,%.1f,%.2f", used, attempts, last, herdAttempts);
    }

    static Row parsed(String line) {
      String[] of = line.split(",", -1);
      Cell cell = new Cell(
          Scope.valueOf(of[0]),
          Long.parseLong(of[1]),
          Long.parseLong(of[2]),
          Long.parseLong(of[3]),
          Integer.parseInt(of[4]),
          Kind.valueOf(of[5]),
          Long.parseLong(of[6]));
      return new Row(
          cell,
          Double.parseDouble(of[7]),
          Double.parseDouble(of[8]),
          Double.parseDouble(of[9]),
          Double.parseDouble(of[10]));
    }
  }

  @Test
  void noCrowdGetsLessThanItDid() throws IOException {
    if (Boolean.getBoolean("weir.write")) {
      List<String> lines = cells().stream().map(cell -> measured(cell).line()).toList();
      Files.createDirectories(TABLE.getParent());
      Files.write(TABLE, Stream.concat(Stream.of(HEAD), lines.stream()).toList());
    }
    List<Row> rows =
        Files.readAllLines(TABLE, UTF_8).stream().skip(1).map(Row::parsed).toList();
    assertThat(rows.stream().map(Row::cell)).isEqualTo(cells());
    for (Row before : some(rows)) {
      Row now = measured(before.cell());
      String name = before.cell().name();
      assertThat(now.used()).as("used: %s", name).isGreaterThanOrEqualTo(before.used() - 0.01);
      assertThat(now.attempts())
          .as("attempts: %s", name)
          .isLessThanOrEqualTo(1.05 * before.attempts() + 0.05);
      assertThat(now.last()).as("last: %s", name).isLessThanOrEqualTo(1.05 * before.last() + 0.1);
      assertThat(now.herdAttempts())
          .as("attempts for one: %s", name)
          .isLessThanOrEqualTo(1.05 * before.herdAttempts() + 0.05);
    }
  }

  // A cost that fills a shared bucket has wide bins.
  @Test
  void crowdsWithTicketsUseEachLimit() throws IOException {
    assertThat(Files.readAllLines(TABLE, UTF_8).stream().skip(1).map(Row::parsed))
        .filteredOn(row -> row.cell().returns() == Kind.TICKETS && row.cell().callers() > 3)
        .hasSizeGreaterThan(400)
        .allMatch(row -> row.used() >= row.cell().leastWithTickets());
  }

  private static List<Row> some(List<Row> rows) {
    if (Boolean.getBoolean("weir.thorough")) {
      return rows;
    }
    Random random = new Random(Long.getLong("weir.seed", 1));
    return random.ints(EACH_BUILD, 0, rows.size()).mapToObj(rows::get).toList();
  }

  private static Row measured(Cell cell) {
    Crowd closed = cell.crowd();
    Crowd herd = cell.crowd();
    for (int i = 0; i < cell.callers(); i++) {
      Caller caller = cell.caller(i);
      closed.comes(closed.random.nextLong(cell.withinMicros()), caller.again(1000));
      herd.comes(herd.random.nextLong(cell.withinMicros()), caller);
    }
    closed.run(cell.closedSeconds());
    herd.run((long) (20 * Math.max(30, cell.idealSeconds())));
    assertThat(herd.admissions).as(cell.name()).hasSize(cell.callers());
    return new Row(
        cell,
        closed.used(0, cell.closedSeconds()),
        (double) closed.attempts / closed.admissions.size(),
        Math.max(0, herd.last() - cell.idealSeconds()) / cell.needSeconds(),
        (double) herd.attempts / cell.callers());
  }

  private static List<Cell> cells() {
    List<Cell> all = new ArrayList<>();
    for (long every : INTERVALS) {
      for (long capacity : capacities(every)) {
        for (long cost : costs(capacity)) {
          for (int callers : new int[] {3, 30, 300}) {
            all.addAll(cells(Scope.KEY, every, capacity, cost, callers));
          }
          all.addAll(cells(Scope.TENANT, every, capacity, cost, 30));
        }
      }
    }
    return all;
  }

  private static List<Cell> cells(Scope scope, long every, long capacity, long cost, int callers) {
    return Stream.of(Kind.values())
        .flatMap(kind -> Stream.of(1000L, SECOND)
            .map(within -> new Cell(scope, every, capacity, cost, callers, kind, within)))
        .toList();
  }

  private static Set<Long> costs(long capacity) {
    return DoubleStream.of(PARTS)
        .mapToObj(part -> Math.max(1, (long) Math.ceil(part * capacity)))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  // Bursts of 0.1, 1 and 10 s, or of 1, 3 and 10 operations.
  private static long[] capacities(long every) {
    return every >= SECOND
        ? new long[] {1, 3, 10}
        : LongStream.of(SECOND / 10, SECOND, 10 * SECOND)
            .map(burst -> burst / every)
            .toArray();
  }
}
