package io.weir.node.intake;

/**
 * The pieces of work of one connection that are done before its event loop has read other connections again; the next
 * ones are done in a later round. Mutable; owned by its event loop.
 */
public final class WorkBudget {
  private final WorkRounds rounds;
  private final int most;
  private int spent;
  private boolean isDue;

  /** @param most pieces of work at once */
  public WorkBudget(WorkRounds rounds, int most) {
    this.rounds = rounds;
    this.most = most;
  }

  /** Whether no more is done now. */
  public boolean isSpent() {
    return spent >= most;
  }

  /** Counts a piece of work. */
  public void spend() {
    spent++;
  }

  /** The connection has been read again, and so have others. */
  public void renew() {
    if (!isDue) {
      spent = 0;
    }
  }

  /** Whether the connection waits for a round. */
  public boolean isDue() {
    return isDue;
  }

  /** Does the next work in a later round, with a new budget. */
  public void goOnLater(Runnable work) {
    if (isDue) {
      return;
    }
    isDue = true;
    rounds.later(() -> {
      isDue = false;
      spent = 0;
      work.run();
    });
  }
}
