package io.weir.lease;

import java.time.Duration;

/**
 * The holder's side: what a node may spend of a bucket, and what it has to report. It stops at its own deadline, which
 * comes before the one of the pool, and counts a grant only once it has heard of it. Mutable; used by one
 * thread at a time.
 */
public final class Lease {
  /** How long a pool counts on a holder. */
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

  /** One in the same state: a test tries every future of it. */
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

  /** Who holds it. */
  public String holder() {
    return holder;
  }

  /** What was taken and not settled yet; without meaning once the lease was over. */
  public record Taken(long units, long era) {}

  /** Whether so many units may be spent now. */
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

  /** Says what became of what was taken. */
  public void settle(Taken taken, boolean isSpent) {
    if (taken.era() != era) {
      return; // it was counted as spent when the lease was over
    }
    pending -= taken.units();
    if (isSpent) {
      spend(taken.units());
    } else {
      balance += taken.units();
    }
  }

  /** Units that may be spent, as far as the lease is not over. */
  public long balance() {
    return balance;
  }

  /** Whether the pool counts something for it that it should hear of. */
  public boolean isOut(long nowNanos) {
    endIfOver(nowNanos);
    return balance + pending > 0 || spent != acknowledged;
  }

  /** Whether a report is on its way. */
  public boolean isAsking() {
    return isAsking;
  }

  /**
   * Reports, keeps at most so much of the balance, and wants more.
   *
   * @param most what is above is given back
   */
  public LeaseReport report(long most, long wants, long least, long nowNanos) {
    endIfOver(nowNanos);
    balance = Math.min(balance, most);
    sequence++;
    isAsking = true;
    return new LeaseReport(holder, sequence, spent, acknowledged, balance + pending, wants, least);
  }

  /**
   * The report was answered.
   *
   * @param granted units, on top of what was kept; -1 where the pool took a later report before
   * @param newDeadlineNanos when spending stops: reckoned from when the report was sent, less a margin
   */
  public void granted(LeaseReport report, long granted, long newDeadlineNanos, long nowNanos) {
    if (report.sequence() != sequence || !isAsking) {
      return; // it was given up
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

  /** The report was not answered: whether it was heard, nobody knows. */
  public void unanswered(LeaseReport report) {
    if (report.sequence() == sequence) {
      isAsking = false;
    }
  }

  @Override
  public String toString() {
    return "Lease[%s: %d to spend, %d pending, %d spent, %d acknowledged, report %d%s, until %d, era %d]"
        .formatted(
            holder,
            balance,
            pending,
            spent,
            acknowledged,
            sequence,
            isAsking ? " on its way" : "",
            deadlineNanos,
            era);
  }

  private void spend(long units) {
    spent = (spent + units) % LeaseReport.MODULUS;
  }

  // What it held counts as spent when the pool ends it, and what is pending may well be.
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
