package io.weir.testkit;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Moves the clock of a generated history: by nothing, by little or by much, sometimes back, and often to an instant at
 * which something ends, or a microsecond beside it. Mutable; owned by one test.
 */
public final class OddTimes {
  private static final int REMEMBERED = 40;
  private static final long SECOND = 1_000_000;
  private static final List<Long> BACK =
      List.of(1L, 60_000L, 100_000L, 100_001L, 3 * SECOND, 70 * SECOND, 3600 * SECOND);

  private final RandomGenerator random;
  private final ManualClock clock;
  private final long longestMicros;
  private final List<Long> ends = new ArrayList<>();

  /** @param longestMicros the longest step */
  public OddTimes(RandomGenerator random, ManualClock clock, long longestMicros) {
    this.random = random;
    this.clock = clock;
    this.longestMicros = longestMicros;
  }

  /** Something ends this long after now. */
  public void endsIn(long micros) {
    ends.add(clock.getAsLong() + micros);
    if (ends.size() > REMEMBERED) {
      ends.remove(random.nextInt(REMEMBERED));
    }
  }

  /** Moves the clock. */
  public void move() {
    clock.advance(step());
  }

  private long step() {
    int dice = random.nextInt(100);
    if (dice < 40) {
      return random.nextInt(3);
    } else if (dice < 70) {
      return random.nextInt(50_000);
    } else if (dice < 91) {
      return random.nextLong(2 * SECOND);
    } else if (dice < 97) {
      return toAnEnd();
    }
    return dice == 97
        ? -BACK.get(random.nextInt(BACK.size()))
        : random.nextLong(dice == 98 ? 60 * SECOND : longestMicros);
  }

  // Mostly to the next one.
  private long toAnEnd() {
    long now = clock.getAsLong();
    ends.removeIf(end -> end < now);
    if (ends.isEmpty()) {
      return random.nextLong(SECOND);
    }
    Long end =
        random.nextInt(3) > 0 ? Collections.min(ends) : ends.get(random.nextInt(ends.size()));
    ends.remove(end);
    return Math.max(0, end - now - 1 + random.nextInt(3));
  }
}
