package io.weir.core.lease;

import io.weir.core.bucket.LeakyBucket;
import java.time.Duration;

/**
 * The holder's side of a lease: the units that a node may spend of a bucket, and its reports. It stops at its own
 * deadline, which is before the pool's, and counts a grant only after it has received it. Mutable; used by one thread
 * at a time.
 */
public final class Lease {
  /** How long a pool keeps a lease for its holder. */
  public static final Duration LASTS = Duration.ofMillis(200);

  private final String holder;
  private long balance;
  private long pending;
  private long spent;
  private long acknowledged;
  private long sequence;
  private long deadlineNanos;
  private long era;
  private boolean isAsking;

  /** @param holder see {@link LeaseReport#holder} */
  public Lease(String holder) {
    this.holder = holder;
  }

  /** A copy of the state: a test explores every future of it. */
  Lease(Lease other) {
    this.holder = other.holder;
    this.balance = other.balance;
    this.pending = other.pending;
    this.spent = other.spent;
    this.acknowledged = other.acknowledged;
    this.sequence = other.sequence;
    this.deadlineNanos = other.deadlineNanos;
    this.era = other.era;
    this.isAsking = other.isAsking;
  }

  /**
   * How long a holder waits for units that a pool has not: what others hold is back or drains within their lease, and
   * what is missing beyond it drains.
   *
   * @param missing units, to be free besides those that are
   * @param others units that other holders have
   * @param rate units drained a microsecond
   */
  public static long waitMicros(long missing, long others, long rate, long leaseMicros) {
    long soonest = Math.min(leaseMicros, LeakyBucket.ceilDiv(missing, rate));
    return Math.max(0, Math.max(soonest, LeakyBucket.ceilDiv(missing - others, rate)));
  }

  /** The holder of the lease. */
  public String holder() {
    return holder;
  }

  /** Units that were taken and not settled yet; ignored once the lease has expired. */
  public record Taken(long units, long era) {}

  /** Whether these units may be spent now. */
  public boolean has(long units, long nowNanos) {
    endIfOver(nowNanos);
    return balance >= units;
  }

  /** Takes units that it {@link #has}; they are counted as spent, unless they are {@link #settle given back}. */
  public Taken take(long units) {
    balance -= units;
    pending += units;
    return new Taken(units, era);
  }

  /** Spends units that it {@link #has}: the same as to take and to settle them. */
  public void spendNow(long units) {
    balance -= units;
    spend(units);
  }

  /**
   * Settles taken units: spent, or given back, which is exact: leased units do not drain until they are spent. False if
   * they were counted as spent when the lease expired.
   */
  public boolean settle(Taken taken, boolean isSpent) {
    if (taken.era() != era) {
      return false;
    }
    pending -= taken.units();
    if (isSpent) {
      spend(taken.units());
    } else {
      balance += taken.units();
    }
    return true;
  }

  /** Units that may be spent, if the lease has not expired. */
  public long balance() {
    return balance;
  }

  /** Units that may be spent now. */
  public long balance(long nowNanos) {
    endIfOver(nowNanos);
    return balance;
  }

  /** Whether the pool may count something for this holder that a report should settle. */
  public boolean isOut(long nowNanos) {
    endIfOver(nowNanos);
    return balance + pending > 0 || spent != acknowledged;
  }

  /** Whether a report is in flight. */
  public boolean isAsking() {
    return isAsking;
  }

  /**
   * Makes a report that keeps at most {@code most} of the balance and asks for more.
   *
   * @param most the limit of the balance; the excess is given back
   * @param earmark see {@link LeaseReport#earmark}
   */
  public LeaseReport report(long most, long wants, long least, long earmark, long nowNanos) {
    endIfOver(nowNanos);
    balance = Math.min(balance, most);
    sequence++;
    isAsking = true;
    return new LeaseReport(
        holder, sequence, spent, acknowledged, balance + pending, wants, least, earmark);
  }

  /**
   * Applies the answer to a report.
   *
   * @param granted units, added to those kept; -1 if the pool took a later report before
   * @param newDeadlineNanos the time at which spending stops: counted from the sending of the report, less a margin
   */
  public void granted(LeaseReport report, long granted, long newDeadlineNanos, long nowNanos) {
    if (report.sequence() != sequence || !isAsking) {
      return; // the lease was given up
    }
    isAsking = false;
    endIfOver(nowNanos);
    if (granted < 0) {
      return;
    }
    acknowledged = report.spent();
    if (newDeadlineNanos - nowNanos > 0) {
      balance += granted;
      deadlineNanos = newDeadlineNanos;
    }
  }

  /** The report was not answered; it is unknown whether the pool received it. */
  public void unanswered(LeaseReport report) {
    if (report.sequence() == sequence) {
      isAsking = false;
    }
  }

  @Override
  public String toString() {
    return "Lease[" + holder + ": " + balance + " to spend, " + pending + " pending, " + spent
        + " spent, " + acknowledged + " acknowledged, report " + sequence
        + (isAsking ? " on its way" : "") + ", until " + deadlineNanos + ", era " + era + "]";
  }

  private void spend(long units) {
    spent = (spent + units) % LeaseReport.MODULUS;
  }

  // Its balance counts as spent when the pool ends it, and pending units may well be spent.
  private void endIfOver(long nowNanos) {
    boolean isAnyOut = balance + pending > 0 || spent != acknowledged;
    if (isAnyOut && nowNanos - deadlineNanos >= 0) {
      spend(pending);
      acknowledged = spent;
      pending = 0;
      balance = 0;
      era++;
    }
  }
}
