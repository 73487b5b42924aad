package io.weir.client;

/** Interrupts a thread only while it does one task; leaves no interrupt status on the thread. Mutable. */
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

  /** Called by the thread itself: it must not be interrupted any more. */
  synchronized void end() {
    isOver = true;
    if (wasInterrupted) {
      Thread.interrupted();
    }
  }
}
