package io.weir.state.assignment;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.assignment.Assignment;
import io.weir.core.assignment.DividedLimit;
import io.weir.core.assignment.UsageReport;
import io.weir.state.assignment.AssignmentPool.Assigned;
import io.weir.state.connection.RedisConnections;
import io.weir.state.testing.RedisFixture;
import io.weir.state.wire.RedisKeys;
import io.weir.state.wire.StoreClock;
import io.weir.testkit.Histories;
import io.weir.testkit.judge.JudgedAssignments;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The script of assignments gives the same answers as the pure pool. */
@ExtendWith(RedisFixture.class)
final class RedisAssignmentsIT {
  private static final int STEPS = 3000;
  private static final int CLIENTS = 12;

  private static RedisConnections connections;

  @BeforeAll
  static void start(RedisConnections opened) {
    connections = opened;
  }

  @ParameterizedTest
  @CsvSource({"1, 1000, 1", "2, 7, 60", "3, 4294967295, 86400", "4, 100000, 3600"})
  void bothSidesAnswerTheSame(long seed, long requests, long seconds) {
    Random random = new Random(seed);
    DividedLimit limit = new DividedLimit(requests, seconds);
    AssignmentPool pool = AssignmentPool.EMPTY;
    long[] records = new long[CLIENTS];
    long now = 4_000_000_000_000_000L;
    int positive = 0;
    for (int step = 1; step <= STEPS; step++) {
      now += random.nextInt(40) == 0 ? random.nextInt(20_000_000) : random.nextInt(200_000);
      now -= random.nextInt(200) == 0 ? random.nextLong(100_000_000L) : 0;
      int client = random.nextInt(CLIENTS);
      long arrived = Math.max(0, pool.sequence() - random.nextInt(30));
      UsageReport report = new UsageReport(
          "c" + client,
          random.nextInt(40) == 0 ? UsageReport.FRESH : records[client],
          arrived,
          random.nextInt(3_000_000),
          random.nextInt(4) == 0 ? 0 : random.nextLong(limit.micros() * 100_000));
      Assigned expected = pool.report(limit, report, now);
      assertThat(answer("s" + seed, limit, report, now))
          .as("step %d: %s on %s", step, report, pool)
          .isEqualTo(expected.answer());
      records[client] = expected.answer().record();
      positive += expected.answer().rate() > 0 ? 1 : 0;
      pool = expected.pool();
    }
    assertThat(positive).isGreaterThan(STEPS / 20);
  }

  @Test
  void bothSidesAnswerClientsTheSame() {
    long first = Histories.firstSeed();
    for (long seed = first; seed < first + Histories.count(10, 300); seed++) {
      AtomicReference<AssignmentPool> pool = new AtomicReference<>(AssignmentPool.EMPTY);
      String subject = "h" + seed;
      new JudgedAssignments(seed, (limit, report, now) -> {
            Assigned expected = requireNonNull(pool.get()).report(limit, report, now);
            pool.set(expected.pool());
            Assignment answer = answer(subject, limit, report, now);
            assertThat(answer).as("%s: %s", subject, report).isEqualTo(expected.answer());
            return answer;
          })
          .run();
    }
  }

  // The first client gets a sixteenth of the burst, or that of one request, which drains in such a
  // part of the period.
  @ParameterizedTest
  @CsvSource({"10, 1, 12601", "1000, 86400, 5412500"})
  void anUnusedLimitExpiresWhenItHasDrained(long requests, long seconds, long millis) {
    DividedLimit limit = new DividedLimit(requests, seconds);
    UsageReport report = new UsageReport("c", UsageReport.FRESH, 0, 0, 1);
    new RedisAssignments(connections)
        .report("acme", "expiring", limit, report)
        .toCompletableFuture()
        .join();
    assertThat(connections.sync().pttl(RedisKeys.divided("acme", "expiring", limit)))
        .isBetween(millis - 10_000, millis + 1);
  }

  private static Assignment answer(
      String subject, DividedLimit limit, UsageReport report, long now) {
    return new RedisAssignments(connections, StoreClock.of(() -> now))
        .report("acme", subject, limit, report)
        .toCompletableFuture()
        .join();
  }
}
