package io.weir.testkit.judge;

import io.weir.core.assignment.Assignment;
import io.weir.core.assignment.DividedLimit;
import io.weir.core.assignment.SentAssignments;
import io.weir.core.assignment.UsageReport;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A client of a divided limit as Envoy is one, with its connection and the node's side of it. Amounts are those of
 * {@link UsageReport#used}. Mutable.
 */
final class DividedClient {
  /** The speed of a clock is in parts of this. */
  static final int CLOCK = 1024;

  private static final int MOST_REPORT_MICROS = 100_000;
  private static final int MOST_SENDING_MICROS = 100_000;
  private static final int MOST_ARRIVAL_MICROS = 390_000;

  private final String process;
  private final Traits traits;
  private final DividedLimit limit;
  private final Deque<Message> messages = new ArrayDeque<>();
  private SentAssignments sent = new SentAssignments();
  private @Nullable Bucket bucket;
  private long lastArrival;
  private long unreported;
  private long nextReport;
  private boolean isNew = true;
  private boolean isAnswered;
  private int starts;
  long pausedUntil;
  long cutUntil;
  long deadUntil;

  /** How long messages are on their way. */
  enum Delay {
    NONE,
    ANY,
    MOST;

    int of(int most, Random random) {
      return switch (this) {
        case NONE -> 0;
        case ANY -> random.nextInt(most);
        case MOST -> most - 1;
      };
    }
  }

  /**
   * The traits of a client.
   *
   * @param isNamedAnew whether it has another name after each start; otherwise its first report is not lost
   * @param speed of the clock that ends its assignment; one that fills a token bucket slowly spends less
   * @param intervalMicros between its reports
   */
  record Traits(boolean isNamedAnew, int speed, long intervalMicros, Delay delay) {}

  /** An answer on its way. */
  private record Message(Assignment assignment, long arrivesMicros) {}

  /** A report on its way. */
  record Sending(
      DividedClient client, SentAssignments by, boolean isNew, long used, long arrives) {}

  private static final class Bucket {
    private long rate;
    private long burst;
    private long tokens;
    private long endsMicros;
    private long begunMicros;
    private long filledMicros;

    // A paused process finds its bucket filled.
    void fill(long now, DividedLimit limit) {
      long filled = tokens + rate * (now - filledMicros);
      tokens = Math.min(burst * limit.micros(), filled);
      filledMicros = now;
    }
  }

  DividedClient(String process, Traits traits, DividedLimit limit, long firstMicros) {
    this.process = process;
    this.traits = traits;
    this.limit = limit;
    this.nextReport = firstMicros;
  }

  /** Ends the process; it starts again later and knows nothing. */
  void kill(long untilMicros) {
    cut(untilMicros);
    deadUntil = untilMicros;
    bucket = null;
    isNew = true;
    isAnswered = false;
    starts++;
    unreported = 0;
    nextReport = untilMicros;
  }

  /** Ends the connection, with the messages on it. */
  void cut(long untilMicros) {
    messages.clear();
    sent = new SentAssignments();
    cutUntil = untilMicros;
    isNew |= !traits.isNamedAnew() && !isAnswered;
  }

  /** The name of its present process. */
  String name() {
    return traits.isNamedAnew() ? process + "-" + starts : process;
  }

  boolean isRunning(long now) {
    return now >= pausedUntil && now >= deadUntil;
  }

  /**
   * Lets its time pass, and spends up to the demand at once.
   *
   * @return the spent amount
   */
  long spend(long demand, long now) {
    Bucket mine = bucket;
    unreported = Math.min(UsageReport.MOST_USED, unreported + demand);
    if (mine == null) {
      return 0;
    }
    if (now >= mine.endsMicros) {
      bucket = null;
      return 0;
    }
    mine.fill(now, limit);
    long spent = Math.min(demand, mine.tokens);
    mine.tokens -= spent;
    return spent;
  }

  /** Whether its first assignment has come just now, or the last one ends in a second. */
  boolean isNearEnd(long now) {
    Bucket mine = bucket;
    return mine != null
        && (now - mine.begunMicros < 100_000
            || (now < cutUntil && now >= mine.endsMicros - 1_000_000));
  }

  /** Spends everything that it has. */
  long spendAll(long now) {
    Bucket mine = bucket;
    return mine == null ? 0 : spend(mine.burst * limit.micros(), now);
  }

  /** Reads the answers that have arrived. */
  void receive(long now) {
    for (Message next = messages.peek();
        next != null && next.arrivesMicros() <= now;
        next = messages.peek()) {
      messages.remove();
      isAnswered = true;
      apply(next.assignment(), now);
    }
  }

  private void apply(Assignment assignment, long now) {
    if (assignment.isAbandoned() || assignment.rate() == 0) {
      bucket = null;
      return;
    }
    Bucket mine = bucket;
    if (mine == null || now >= mine.endsMicros) {
      mine = new Bucket();
      mine.tokens = assignment.burst() * limit.micros();
      mine.filledMicros = now;
      mine.begunMicros = now;
      bucket = mine;
    } else if (mine.burst != assignment.burst()) {
      mine.tokens = (long) ((double) mine.tokens / mine.burst * assignment.burst());
    }
    mine.rate = assignment.rate();
    mine.burst = assignment.burst();
    mine.endsMicros = now + Assignment.LASTS.toNanos() / 1000 * CLOCK / traits.speed();
  }

  /** The report that is due, with the time when it arrives at the node. */
  Optional<Sending> report(long now, Random random) {
    if (now < nextReport) {
      return Optional.empty();
    }
    nextReport = now + traits.intervalMicros();
    long used = unreported;
    unreported = 0;
    if (now < cutUntil) {
      return Optional.empty();
    }
    lastArrival = Math.max(lastArrival, now + traits.delay().of(MOST_REPORT_MICROS, random));
    Sending sending = new Sending(this, sent, isNew, used, lastArrival);
    isNew = false;
    return Optional.of(sending);
  }

  /** Whether the connection of a report is still there. */
  boolean isBy(Sending sending) {
    return sent == sending.by();
  }

  /** Sends an answer, which was decided on at this time. */
  void answer(Assignment assignment, long decidedMicros, Random random) {
    long sentAt = decidedMicros + traits.delay().of(MOST_SENDING_MICROS, random);
    Message last = messages.peekLast();
    long arrives = Math.max(
        last == null ? 0 : last.arrivesMicros(),
        sentAt + traits.delay().of(MOST_ARRIVAL_MICROS, random));
    messages.add(new Message(assignment, arrives));
    sent.sent(assignment, decidedMicros * 1000, sentAt * 1000);
  }

  /** Whether an answer waits longer than any does; a paused process has lost its connection by then. */
  boolean isOverdue(long now) {
    Message next = messages.peek();
    return next != null && now - next.arrivesMicros() > 100_000;
  }
}
