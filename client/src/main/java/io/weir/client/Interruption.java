package io.weir.client;

/** Ends what a thread does, as long as it does it; leaves no trace on the thread. Mutable. */
final class Interruption {
  private final Thread thread;
  private boolean isOver;
  private boolean wasInterrupted;

  Interruption(Thread thread) {
    this.thread = thread;
  }

  synchronized void interrupt() {
    if (!isOver) {
      wasInterrupted = true;
      thread.interrupt();
    }
  }

  /** By the thread itself: it is no longer to be interrupted. */
  synchronized void end() {
    isOver = true;
    if (wasInterrupted) {
      Thread.interrupted();
    }
  }
}
