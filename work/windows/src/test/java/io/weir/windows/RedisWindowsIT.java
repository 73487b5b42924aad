package io.weir.windows;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.state.connection.RedisConnections;
import io.weir.state.testing.DriftProof;
import io.weir.state.testing.RedisFixture;
import io.weir.state.wire.StoreClock;
import io.weir.testkit.Histories;
import io.weir.windows.WindowAnswer.Blocked;
import io.weir.windows.WindowAnswer.Claimed;
import io.weir.windows.WindowAnswer.Done;
import io.weir.windows.WindowAnswer.NotNext;
import io.weir.windows.WindowAnswer.Nothing;
import io.weir.windows.WindowAnswer.Opened;
import io.weir.windows.WindowAnswer.Refused;
import io.weir.windows.WindowStore.Choice;
import io.weir.windows.WindowStore.End;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Windows in Redis, with a manual clock. */
@ExtendWith(RedisFixture.class)
@Tag("engine")
final class RedisWindowsIT {
  private static final long LEASE = 30_000_000;
  private static final long BACKOFF = 1_000_000;
  private static final long REMEMBERED = Duration.ofMinutes(9).toNanos() / 1000;
  private static final long GONE = -2;
  private static final long KEPT = Duration.ofDays(30).toMillis();

  private static RedisConnections connections;
  private static int windows;

  private long now;
  private RedisWindows store;
  private String name;
  private int claims;

  @BeforeAll
  static void start(RedisConnections opened) {
    connections = opened;
  }

  @BeforeEach
  void begin() {
    now = 4_000_000_000_000_000L;
    name = "w" + windows++;
    store = new RedisWindows(connections, StoreClock.of(() -> now));
  }

  @Test
  void rangesMissingInTheirSetsArePutBack() {
    WindowRule rule = rule(4, false);
    for (int range = 1; range <= 3; range++) {
      wait(store.open(rule, range, range));
    }
    wait(store.claim(rule, "c1"));
    DriftProof proof = new DriftProof(connections, WindowDrift.CHECK, name, List.of());
    proof.requireNone();
    proof.requireRestored("todo", WindowKeys.of(name).get(3));
    proof.requireRestored("times", WindowKeys.of(name).get(4));
    assertThat(wait(store.claim(rule, "c2"))).isInstanceOf(Claimed.class);
  }

  private record Said(Class<?> answer, long atMicros) {}

  private WindowRule rule(int width, boolean keepsResults) {
    return new WindowRule(name, width, 4, LEASE, BACKOFF, keepsResults);
  }

  private static <T> T wait(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  private WindowAnswer open(WindowRule rule, long from, long to) {
    return wait(store.open(rule, from, to));
  }

  private WindowAnswer claim(WindowRule rule) {
    return wait(store.claim(rule, "c" + claims++));
  }

  private WindowAnswer end(WindowRule rule, Claimed claimed, End how, String note) {
    return wait(store.end(rule, claimed.from(), claimed.claim(), how, note));
  }

  private List<Long> leftMillis() {
    return WindowKeys.of(name).stream()
        .map(key -> wait(connections.<Long>ask(commands -> commands.pttl(key))))
        .toList();
  }

  @Test
  void allOfAWindowIsKeptForThirtyDaysAndCanBeForgotten() {
    store = new RedisWindows(connections); // its keys expire by Redis's clock
    WindowRule rule = rule(3, true);
    for (int i = 0; i < 2; i++) {
      open(rule, 10L * i, 10L * i + 9);
      end(rule, (Claimed) claim(rule), End.FINISH, "kept");
    }
    wait(store.decide(rule, Choice.COMMIT, 9));
    open(rule, 20, 29);
    claim(rule);
    open(rule, 30, 39);
    List<String> keys = WindowKeys.of(name);
    assertThat(leftMillis())
        .allMatch(left -> left == GONE || (left > KEPT - 60_000 && left <= KEPT + 1));
    keys.forEach(key -> wait(connections.ask(commands -> commands.pexpire(key, KEPT / 3))));
    claim(rule);
    assertThat(leftMillis())
        .allMatch(left -> left == GONE || (left > KEPT - 60_000 && left <= KEPT + 1));
    wait(store.decide(rule, Choice.FORGET, 0));
    long left =
        wait(connections.<Long>ask(commands -> commands.exists(keys.toArray(String[]::new))));
    assertThat(left).isZero();
    assertThat(((Opened) open(rule, 500, 599)).view().watermark()).isEqualTo(500);
  }

  @Test
  void aRepeatedReportIsAcceptedMuchLater() {
    WindowRule rule = new WindowRule(name, 2, 4, LEASE, 0, false);
    open(rule, 0, 0);
    Claimed claimed = (Claimed) claim(rule);
    end(rule, claimed, End.RELEASE, "");
    assertThat(((Done) end(rule, claimed, End.RELEASE, "")).state()).isEqualTo("todo");
    claimed = (Claimed) claim(rule);
    end(rule, claimed, End.FAIL, "");
    assertThat(((Done) end(rule, claimed, End.FAIL, "")).state()).isEqualTo("todo");
    assertThat(end(rule, claimed, End.FINISH, "")).isInstanceOf(Refused.class);
    claimed = (Claimed) claim(rule);
    end(rule, claimed, End.FINISH, "");
    for (int i = 1; i < 1000; i++) {
      open(rule, i, i);
      end(rule, (Claimed) claim(rule), End.FINISH, "");
    }
    now += Duration.ofMinutes(9).toNanos() / 1000;
    assertThat(((Done) end(rule, claimed, End.FINISH, "")).state()).isEqualTo("committed");
    assertThat(wait(store.end(rule, 0, "other", End.FINISH, ""))).isInstanceOf(Refused.class);
  }

  @Test
  void nothingBeforeTheFirstRangeIsCommitted() {
    WindowRule rule = rule(2, false);
    open(rule, 1000, 1099);
    assertThat(open(rule, 0, 99)).isInstanceOf(NotNext.class);
    assertThat(wait(store.decide(rule, Choice.COMMIT, 99))).isInstanceOf(Refused.class);
    end(rule, (Claimed) claim(rule), End.FINISH, "");
    assertThat(((Opened) open(rule, 1000, 1099)).isNew()).isFalse();
    assertThat(wait(store.decide(rule, Choice.COMMIT, 1099))).isInstanceOf(Done.class);
  }

  @Test
  void idleWorkersAskLessOften() {
    WindowRule rule = rule(1, false);
    for (int i = 0; i < 20; i++) {
      open(rule, i, i);
      Claimed claimed = (Claimed) claim(rule);
      now += 2000;
      end(rule, claimed, End.FINISH, "");
    }
    assertThat(((Nothing) claim(rule)).waitMicros()).isEqualTo(10_000);
    now += 1_000_000;
    assertThat(((Nothing) claim(rule)).waitMicros()).isEqualTo(250_000);
    now += 60_000_000;
    assertThat(((Nothing) claim(rule)).waitMicros()).isEqualTo(1_000_000);
  }

  @Test
  void idleTimesDoNotMakeWaitsLong() {
    WindowRule rule = rule(1, false);
    long wait = 0;
    for (long i = 0; i < 40; i++) {
      open(rule, i, i);
      Claimed claimed = (Claimed) claim(rule);
      now += i == 20 ? Duration.ofHours(8).toNanos() / 1000 : 100_000;
      if (i == 20) {
        claimed = (Claimed) claim(rule);
      }
      end(rule, claimed, End.FINISH, "");
      wait = Math.max(wait, ((Nothing) claim(rule)).waitMicros());
    }
    assertThat(wait).isLessThanOrEqualTo(1_000_000);
  }

  static LongStream seeds() {
    return LongStream.rangeClosed(1, Histories.count(2, 6));
  }

  /** A planner and workers that fail, die and repeat every call: all ranges are committed once and in order. */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void allRangesAreCommittedInOrderWhateverWorkersDo(long seed) {
    Random random = new Random(seed);
    WindowRule rule = rule(1 + random.nextInt(12), false);
    Deque<Claimed> held = new ArrayDeque<>();
    Set<Long> done = new HashSet<>();
    Set<Long> skipped = new HashSet<>();
    Map<Claimed, Said> said = new HashMap<>();
    long next = 0;
    long watermark = 0;
    int steps = 0;
    while (watermark < 300 && steps++ < 20_000) {
      WindowAnswer answer;
      int dice = random.nextInt(10);
      if (dice < 3) {
        answer = open(rule, next, next);
        next = answer.view().next();
        if (answer instanceof Blocked blocked) {
          boolean isSkipped = random.nextBoolean();
          answer = wait(store.decide(rule, isSkipped ? Choice.SKIP : Choice.RETRY, blocked.from()));
          if (isSkipped) {
            assertThat(skipped.add(blocked.from())).isTrue();
          }
        }
      } else if (dice < 6 || held.isEmpty()) {
        answer = claim(rule);
        if (answer instanceof Claimed claimed) {
          held.add(claimed);
        }
      } else {
        Claimed claimed = random.nextBoolean() ? held.removeFirst() : held.removeLast();
        End how = random.nextInt(4) == 0 ? End.FAIL : End.FINISH;
        answer = end(rule, claimed, how, "");
        if (how == End.FINISH && answer instanceof Done) {
          assertThat(done.add(claimed.from())).as("done once").isTrue();
        }
        if (how == End.FINISH) {
          said.put(claimed, new Said(answer.getClass(), now));
        }
      }
      said.values().removeIf(first -> now - first.atMicros() > REMEMBERED);
      said.forEach((claimed, first) -> {
        if (random.nextInt(20) == 0) {
          assertThat(end(rule, claimed, End.FINISH, "").getClass()).isEqualTo(first.answer());
        }
      });
      now += random.nextInt(50) == 0 ? LEASE : random.nextInt(2_000_000);
      assertThat(answer.view().watermark()).isGreaterThanOrEqualTo(watermark);
      watermark = answer.view().watermark();
      assertThat(answer.view().open())
          .isEqualTo(next - watermark)
          .isLessThanOrEqualTo(rule.width());
    }
    for (long i = 0; i < watermark; i++) {
      assertThat(done.contains(i) ^ skipped.contains(i)).as("range " + i).isTrue();
    }
    assertThat(watermark).as("steps: " + steps).isGreaterThanOrEqualTo(300);
  }
}
