package io.weir.state.connection;

import io.weir.core.throttle.StoreUnavailableException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tries to connect to Redis when a node or a program starts, until Redis answers or a time limit is reached: machines and
 * containers start in any order. An error that waiting cannot fix, such as a wrong password, ends the start at once.
 *
 * @param most the time limit; zero for one try
 * @param setting the name of the setting with it, for people
 * @param nanos a monotonic clock
 * @param pause waits between two tries
 */
public record RedisWait(Duration most, String setting, LongSupplier nanos, Pause pause) {
  private static final Logger LOG = LoggerFactory.getLogger(RedisWait.class);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(250);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(4);

  /** Waits for a given time. */
  public interface Pause {
    /** Returns after it. */
    void pass(Duration span) throws InterruptedException;
  }

  /** With the system's clock. */
  public static RedisWait of(Duration most, String setting) {
    return new RedisWait(most, setting, System::nanoTime, RedisWait::pass);
  }

  private static void pass(Duration span) throws InterruptedException {
    boolean unused = new CountDownLatch(1).await(span.toNanos(), TimeUnit.NANOSECONDS);
  }

  /**
   * Connects.
   *
   * @throws StoreUnavailableException of the last try, if Redis did not answer in time
   */
  public <T> T until(Supplier<T> connect) {
    long begun = nanos.getAsLong();
    Duration pauseNow = FIRST_PAUSE;
    while (true) {
      try {
        return connect.get();
      } catch (StoreUnavailableException e) {
        Duration left = most.minusNanos(nanos.getAsLong() - begun);
        if (!e.fault().isOutage() || left.isNegative() || left.isZero()) {
          throw e.fault().isOutage() && !most.isZero() ? gaveUp(e) : e;
        }
        Duration next = pauseNow.compareTo(left) < 0 ? pauseNow : left;
        LOG.warn(
            "Redis does not answer yet: {}; it is tried again for {} s",
            e.getMessage(),
            left.toSeconds());
        pauseFor(next, e);
        pauseNow = pauseNow.multipliedBy(2);
        pauseNow = pauseNow.compareTo(LONGEST_PAUSE) < 0 ? pauseNow : LONGEST_PAUSE;
      }
    }
  }

  private StoreUnavailableException gaveUp(StoreUnavailableException last) {
    return new StoreUnavailableException(
        last.fault(),
        "%s; it was tried for %d s (%s)".formatted(last.getMessage(), most.toSeconds(), setting),
        last);
  }

  private void pauseFor(Duration span, StoreUnavailableException error) {
    try {
      pause.pass(span);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw error;
    }
  }
}
