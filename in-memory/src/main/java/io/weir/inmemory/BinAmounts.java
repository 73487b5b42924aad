package io.weir.inmemory;

import java.util.Arrays;
import java.util.function.LongConsumer;

/** The amounts due in the bins of a calendar that are not over, in quanta. Mutable; owned by one calendar. */
final class BinAmounts {
  /** The first bin that is not over; it never goes back. */
  private long base;

  /** By bin, from {@link #base} on, without zeros at the end. */
  private long[] due;

  private BinAmounts(long base, long[] due) {
    this.base = base;
    this.due = due;
  }

  /** Nothing is due. */
  static BinAmounts from(long base) {
    return new BinAmounts(base, new long[0]);
  }

  BinAmounts copy() {
    return new BinAmounts(base, due.clone());
  }

  long base() {
    return base;
  }

  /** The bin behind the last one in use. */
  long end() {
    return base + due.length;
  }

  boolean isEmpty() {
    return due.length == 0;
  }

  long in(long bin) {
    return bin >= base && bin < end() ? due[(int) (bin - base)] : 0;
  }

  /**
   * Forgets the bins before one, if that is not over itself.
   *
   * @param lost receives what was due in each of them
   */
  void advance(long first, LongConsumer lost) {
    long from = Math.max(base, first);
    int gone = (int) Math.min(from - base, due.length);
    for (int i = 0; i < gone; i++) {
      lost.accept(due[i]);
    }
    due = Arrays.copyOfRange(due, gone, due.length);
    base = from;
  }

  void add(long bin, long quanta) {
    int at = (int) (bin - base);
    if (at >= due.length) {
      due = Arrays.copyOf(due, at + 1);
    }
    due[at] += quanta;
  }

  /** Takes back, at most what is due there. */
  void remove(long bin, long quanta) {
    int at = (int) (bin - base);
    if (at < 0 || at >= due.length) {
      return;
    }
    due[at] = Math.max(0, due[at] - quanta);
    int length = due.length;
    while (length > 0 && due[length - 1] == 0) {
      length--;
    }
    due = Arrays.copyOf(due, length);
  }
}
