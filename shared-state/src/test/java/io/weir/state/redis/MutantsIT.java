package io.weir.state.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.state.connection.RedisConnections;
import io.weir.state.wire.LuaLibrary;
import io.weir.testkit.Histories;
import io.weir.testkit.RedisProcess;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Judged histories find every mistake of a table ({@code mutants.txt}): constants and comparisons of the scripts that
 * decide, find places, settle, give back, lease and assign. Each is loaded in the place of the library of the same name.
 * All run with {@code -Pthorough}, else some that depend on the seed.
 */
@Tag("engine")
final class MutantsIT {
  private static final int ONE_IN = Histories.count(10, 1);
  private static final int MOST_HISTORIES = 37;
  private static final List<LuaLibrary> LIBRARIES = List.of(
      LuaLibrary.limiter(Map.of("now", "now_argument")),
      LuaLibrary.limiter(Map.of("now", "now_text")));

  private static RedisProcess redis;
  private static RedisConnections connections;
  private static JudgedRuns runs;

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
    Assumptions.assumeFalse(
        redis.ask("INFO server").contains("redis_version:6."), "skipped: Redis 6 has no functions");
    connections = RedisConnections.open(redis.uri(), Duration.ofMinutes(1));
    runs = new JudgedRuns(connections);
  }

  @AfterAll
  static void stop() {
    if (connections != null) {
      connections.close();
    }
    redis.close();
  }

  static List<Mutant> some() {
    List<Mutant> all = Mutant.all();
    int first = (int) (Histories.firstSeed() % ONE_IN);
    return IntStream.range(0, all.size())
        .filter(i -> i % ONE_IN == first)
        .mapToObj(all::get)
        .toList();
  }

  @Test
  void everyTextOccursOnce() {
    Mutant.all().forEach(mutant -> LIBRARIES.forEach(mutant::in));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("some")
  void isFound(Mutant mutant) {
    LIBRARIES.forEach(library -> connections.sync().functionLoad(mutant.in(library), true));
    long last = mutant.first() + MOST_HISTORIES - 1;
    long seed = mutant.first();
    while (seed <= last && passes(mutant, seed)) {
      seed++;
    }
    assertThat(seed)
        .describedAs("the first history from %d on that finds it", mutant.first())
        .isLessThanOrEqualTo(last);
  }

  private static boolean passes(Mutant mutant, long seed) {
    try {
      if (mutant.isOfAssignments()) {
        runs.assignments(seed);
      } else if (mutant.isOfLeases()) {
        runs.leases(seed);
      } else if (mutant.isOfMixed()) {
        runs.mixed(seed);
      } else if (mutant.isOfJoint()) {
        runs.joint(seed);
      } else {
        runs.requests(seed);
      }
      return true;
    } catch (AssertionError | CompletionException | ClassCastException e) {
      return false; // another answer, none, or one of another kind
    }
  }
}
