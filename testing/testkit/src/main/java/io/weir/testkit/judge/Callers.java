package io.weir.testkit.judge;

import io.weir.testkit.ManualClock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** The callers of a history that were denied, and return. Mutable; owned by one history. */
final class Callers<C> {
  private static final long SECOND = 1_000_000;
  private static final int MOST = 40;

  private final Random random;
  private final ManualClock clock;
  private final List<Caller<C>> waiting = new ArrayList<>();

  private record Caller<C>(C call, long due) {}

  Callers(Random random, ManualClock clock) {
    this.random = random;
    this.clock = clock;
  }

  /** None of them returns. */
  void forget() {
    waiting.clear();
  }

  /** A caller returns after a wait; some of too many do not. */
  void add(C call, long waitMicros) {
    if (waiting.size() < MOST) {
      waiting.add(new Caller<>(call, clock.getAsLong() + waitMicros));
    }
  }

  /** The call that comes next after some time; empty if a newcomer is sooner. */
  Optional<C> next() {
    if (waiting.isEmpty() || random.nextInt(3) == 0) {
      long rarely = random.nextInt(20) == 0 ? random.nextLong(200 * SECOND) : 7;
      clock.advance(one(0L, 0L, 1L, 1000L, random.nextLong(300_000), rarely));
      return Optional.empty();
    }
    return Optional.of(returning());
  }

  // Mostly the next caller, at its time or somewhat later; sometimes any, at any time.
  private C returning() {
    Caller<C> caller = random.nextInt(8) == 0
        ? waiting.get(random.nextInt(waiting.size()))
        : waiting.stream().min(Comparator.comparingLong(Caller::due)).orElseThrow();
    waiting.remove(caller);
    long late = one(0L, 0L, 1L, 900L, random.nextLong(200_000));
    long until = Math.max(0, caller.due() - clock.getAsLong());
    clock.advance(random.nextInt(8) == 0 ? 0 : until + late);
    return caller.call();
  }

  private long one(Long... of) {
    return of[random.nextInt(of.length)];
  }
}
