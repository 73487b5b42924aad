package io.weir.node.gateway;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * How many requests a node may hold until their slot: bounded in number, for each subject, and in what their
 * bodies take of the memory. Safe for use by all event loops.
 */
public final class Seats {
  private final int most;
  private final int mostOfOne;
  private final long mostBytes;
  private final Map<String, Integer> bySubject = new HashMap<>();
  private int taken;
  private long bytes;

  /** A thousand requests with 32 MiB of bodies, a quarter of them of one subject. */
  public Seats() {
    this(1000, 250, 32 << 20);
  }

  /**
   * Others.
   *
   * @param mostOfOne subject
   * @param mostBytes of all bodies
   */
  public Seats(int most, int mostOfOne, long mostBytes) {
    this.most = most;
    this.mostOfOne = mostOfOne;
    this.mostBytes = mostBytes;
  }

  /** How many are taken. */
  public synchronized int taken() {
    return taken;
  }

  /** Takes a seat for a request whose body of so many bytes is in memory; nothing where there is no room. */
  public synchronized Optional<Seat> take(String subject, long bodyBytes) {
    int ofSubject = bySubject.getOrDefault(subject, 0);
    if (taken == most || ofSubject == mostOfOne || bytes + bodyBytes > mostBytes) {
      return Optional.empty();
    }
    taken++;
    bytes += bodyBytes;
    bySubject.put(subject, ofSubject + 1);
    return Optional.of(new Seat(subject, bodyBytes));
  }

  private synchronized void free(Seat seat) {
    taken--;
    bytes -= seat.bodyBytes;
    bySubject.computeIfPresent(seat.subject, (id, count) -> count == 1 ? null : count - 1);
  }

  /** A seat that is taken until it is freed. */
  public final class Seat {
    private final String subject;
    private final long bodyBytes;
    private final AtomicBoolean freed = new AtomicBoolean();

    private Seat(String subject, long bodyBytes) {
      this.subject = subject;
      this.bodyBytes = bodyBytes;
    }

    /** Frees it; a second time does nothing. */
    public void free() {
      if (freed.compareAndSet(false, true)) {
        Seats.this.free(this);
      }
    }
  }
}
