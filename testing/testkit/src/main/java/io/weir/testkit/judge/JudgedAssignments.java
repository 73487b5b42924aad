package io.weir.testkit.judge;

import io.weir.core.assignment.Assignment;
import io.weir.core.assignment.DividedLimit;
import io.weir.core.assignment.UsageReport;
import io.weir.testkit.judge.DividedClient.Delay;
import io.weir.testkit.judge.DividedClient.Traits;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;

/**
 * A history of clients that spend what they were assigned of a divided limit: they are killed, paused and cut off, with
 * clocks that are slow or fast, messages that are as late as any, and answers that are not sent. Together they never
 * spend more than the limit. Mutable; for one history.
 */
public final class JudgedAssignments {
  private static final long WHOLE = Assignment.WHOLE;
  private static final int MOST_CLIENTS = 30;
  private static final int CLOCK_ERROR = DividedClient.CLOCK / 16;
  private static final long SECOND = 1_000_000;
  private static final int NONE_LOST = Integer.MAX_VALUE;
  private static final Traits QUICK = new Traits(true, DividedClient.CLOCK, 200_000, Delay.NONE);
  private static final long BEGIN = 1_700_000_000_123_457L;

  private final long seed;
  private final Random random;
  private final DividedLimit limit;
  private final Pool pool;
  private final List<DividedClient> clients = new ArrayList<>();
  private final PriorityQueue<DividedClient.Sending> reports =
      new PriorityQueue<>(Comparator.comparingLong(DividedClient.Sending::arrives));
  private long now = BEGIN;
  private long behind;
  private long stepBack;
  private long lastClock;
  private long level;
  private long spent;
  private long strikesUntil;

  private enum Fault {
    KILL,
    PAUSE,
    CUT,
    CUT_ALL
  }

  /**
   * The faults of a history.
   *
   * @param calm ticks to each fault, on average
   * @param lastVictim they are of the clients up to this one
   * @param oneLostIn answers to each that is decided on too late to be sent
   * @param oneSetBackIn ticks to each step back of the clock
   */
  private record Faults(
      List<Fault> kinds, int calm, int lastVictim, int oneLostIn, int oneSetBackIn) {
    static Faults any(Random random) {
      List<Fault> all = List.of(Fault.values());
      Fault one = random.nextBoolean() ? Fault.CUT : all.get(random.nextInt(all.size()));
      return new Faults(
          random.nextInt(4) == 0 ? all : List.of(one),
          32 << random.nextInt(5),
          random.nextInt(3) == 0 ? MOST_CLIENTS : random.nextInt(3) / 2,
          random.nextInt(3) == 0 ? 2 + random.nextInt(20) : NONE_LOST,
          random.nextInt(4) == 0 ? 300 : 10_000);
    }
  }

  /**
   * The demand of a history.
   *
   * @param isStriking whether the clients save, and spend everything at one instant
   * @param trickle what they use meanwhile
   * @param greed of four times, so often a client spends everything, if they do not save
   */
  private record Spending(boolean isStriking, long trickle, int greed) {
    static Spending any(Random random) {
      return new Spending(random.nextInt(4) > 0, random.nextInt(4), 1 + random.nextInt(4));
    }
  }

  /** The shared side. */
  @FunctionalInterface
  public interface Pool {
    /** Takes a report, and answers it. */
    Assignment report(DividedLimit limit, UsageReport report, long clockMicros);
  }

  /** @param pool of which nothing was assigned */
  public JudgedAssignments(long seed, Pool pool) {
    this(seed, anyLimit(new Random(seed)), pool);
  }

  /** The same with a limit. */
  public JudgedAssignments(long seed, DividedLimit limit, Pool pool) {
    this.seed = seed;
    this.random = new Random(seed);
    this.limit = limit;
    this.pool = pool;
  }

  // The bursts of few requests are together all of the limit, so that any excess shows.
  private static DividedLimit anyLimit(Random random) {
    long[] seconds = {1, 1, 1, 60, 3600, 86_400};
    long requests = random.nextInt(4) > 0
        ? 2L << random.nextInt(2)
        : 1 + (long) Math.exp(random.nextDouble() * 14);
    return new DividedLimit(requests, seconds[random.nextInt(seconds.length)]);
  }

  /** Plays the history for a minute. */
  public void run() {
    connect();
    Faults faults = Faults.any(random);
    Spending spending = Spending.any(random);
    long end = BEGIN + 60 * SECOND;
    while (now < end) {
      long elapsed = 20_000L + random.nextInt(40_000);
      now += elapsed;
      drain(elapsed);
      disturb(faults);
      strike();
      clients.stream()
          .filter(client -> client.isRunning(now))
          .forEach(client -> spend(client, spending));
      exchange(faults.oneLostIn());
    }
    // A burst that its client lost counts as used, and the largest is all of a small limit.
    require(spent > 0 || limit.requests() < MOST_CLIENTS);
  }

  /** Two of three requests are of three clients, which are others after two minutes; returns the used part of the limit. */
  public double skewed() {
    for (int i = 0; i < MOST_CLIENTS; i++) {
      connect("c" + i, new Traits(i % 2 == 0, DividedClient.CLOCK, SECOND, Delay.ANY));
    }
    long tick = 5000;
    long begin = BEGIN + 60 * SECOND;
    long end = begin + 360 * SECOND;
    long before = 0;
    while (now < end) {
      now += tick;
      drain(tick);
      int hot = (int) ((now - BEGIN) / (120 * SECOND)) * 7;
      for (int i = 0; i < MOST_CLIENTS; i++) {
        boolean isHot = Math.floorMod(i - hot, MOST_CLIENTS) < 3;
        long demand = WHOLE * 3 / 2 * tick / (isHot ? 5 : 60);
        add(clients.get(i).spend(demand * random.nextInt(3) / (random.nextBoolean() ? 1 : 2), now));
      }
      exchange(NONE_LOST);
      before = now <= begin ? spent : before;
    }
    return (double) (spent - before) / (WHOLE * (end - begin));
  }

  // Mostly as many as have room, of which often the first one is as slow or as fast as any, and the
  // others report often and at once.
  private void connect() {
    int kind = random.nextInt(8);
    int count = kind == 0 ? MOST_CLIENTS : (int) Math.min(8, limit.requests()) + random.nextInt(2);
    for (int i = 0; i < count; i++) {
      boolean isQuick = kind > 3 && i > 0;
      connect("c" + i, isQuick ? QUICK : anyTraits(anyInterval(kind)));
    }
  }

  private void connect(String process, Traits traits) {
    clients.add(new DividedClient(process, traits, limit, BEGIN + random.nextInt(2_000_000)));
  }

  private Traits anyTraits(long intervalMicros) {
    int error = random.nextInt(4) == 0 ? random.nextInt(CLOCK_ERROR) : CLOCK_ERROR;
    return new Traits(
        random.nextBoolean(),
        DividedClient.CLOCK + (random.nextBoolean() ? error : -error),
        intervalMicros,
        random.nextBoolean() ? Delay.MOST : random.nextBoolean() ? Delay.ANY : Delay.NONE);
  }

  private long anyInterval(int kind) {
    return switch (kind == 1 ? 0 : random.nextInt(5)) {
      case 0 -> seldom();
      case 1, 2 -> kind == 0 ? 3 * SECOND : 200_000L;
      default -> 200_000L + random.nextInt(3_000_000);
    };
  }

  // Just before an assignment ends.
  private long seldom() {
    return random.nextBoolean() ? 9_700_000L : 8 * SECOND + random.nextInt(2_000_000);
  }

  private void disturb(Faults faults) {
    stepBack += random.nextInt(faults.oneSetBackIn()) == 0 ? random.nextInt(100) * SECOND : 0;
    if (random.nextInt(faults.calm()) > 0) {
      return;
    }
    int victim = random.nextInt(1 + Math.min(faults.lastVictim(), clients.size() - 1));
    DividedClient one = clients.get(victim);
    int[] most = {100_000, 2_000_000, 30_000_000, 30_000_000};
    long until = now + random.nextInt(most[random.nextInt(most.length)]);
    switch (faults.kinds().get(random.nextInt(faults.kinds().size()))) {
      case KILL -> one.kill(until);
      case PAUSE -> one.pausedUntil = until;
      case CUT -> one.cut(until);
      case CUT_ALL -> clients.forEach(each -> each.cut(now + random.nextInt(2_000_000)));
    }
  }

  // All spend at one instant, often when an assignment begins or ends.
  private void strike() {
    if (random.nextInt(100) == 0 || clients.stream().anyMatch(client -> client.isNearEnd(now))) {
      strikesUntil = now + SECOND;
    }
  }

  private void spend(DividedClient client, Spending spending) {
    if (spending.isStriking()) {
      add(now < strikesUntil ? client.spendAll(now) : client.spend(spending.trickle(), now));
    } else if (random.nextInt(4) < spending.greed()) {
      add(client.spendAll(now));
    } else {
      add(client.spend(random.nextLong(1 + limit.micros() * 1000), now));
    }
  }

  private void exchange(int oneLostIn) {
    for (DividedClient client : clients) {
      if (client.isRunning(now)) {
        client.receive(now);
        client.report(now, random).ifPresent(reports::add);
      } else if (client.isOverdue(now)) {
        client.cut(now);
      }
    }
    for (DividedClient.Sending next = reports.peek();
        next != null && next.arrives() <= now;
        next = reports.peek()) {
      reports.remove();
      if (next.client().isBy(next)) {
        answer(next, oneLostIn);
      }
    }
  }

  private void answer(DividedClient.Sending sending, int oneLostIn) {
    DividedClient client = sending.client();
    UsageReport report = sending
        .by()
        .report(
            client.name(), sending.isNew(), sending.used(), sending.arrives() * 1000, now * 1000);
    Assignment answer = pool.report(limit, report, clock());
    if (random.nextInt(oneLostIn) > 0) {
      client.answer(answer, now, random);
    }
  }

  // A step back after a silence as long as the step is invisible: the promise excludes it.
  private long clock() {
    if (now - behind - stepBack < lastClock) {
      behind += stepBack;
    }
    stepBack = 0;
    lastClock = now - behind;
    return lastClock;
  }

  private void drain(long micros) {
    level = Math.max(0, level - WHOLE * Math.min(micros, limit.micros()));
  }

  private void add(long amount) {
    level += amount;
    spent += amount;
    require(level <= WHOLE * limit.micros());
  }

  private void require(boolean holds) {
    if (!holds) {
      throw new AssertionError("seed %d, after %d us: %d spent of %s, level %d"
          .formatted(seed, now - BEGIN, spent, limit, level));
    }
  }
}
