package io.weir.state.degraded;

import io.weir.state.lane.CallObserver;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of the shared state that are away: all of one Redis, or those of a lost master of a Redis Cluster. Logs
 * once when the first part goes away and once when the last is back. Safe for use by many threads.
 */
public final class Outages implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Outages.class);

  private final List<OutageBreaker> breakers;
  private final AtomicInteger away = new AtomicInteger();
  private final List<IntConsumer> listeners = new CopyOnWriteArrayList<>();

  /**
   * @param parts the number of parts
   * @param probe makes a call of almost no cost to a part
   */
  public Outages(int parts, IntFunction<? extends CompletionStage<?>> probe) {
    breakers = IntStream.range(0, parts)
        .mapToObj(
            part -> new OutageBreaker(() -> probe.apply(part), isAway -> changed(part, isAway)))
        .toList();
  }

  /** Observes the calls to a part. */
  public CallObserver observer(int part) {
    return breakers.get(part);
  }

  /** Whether a part is away, as far as is known. */
  public boolean isAway(int part) {
    return breakers.get(part).isAway();
  }

  /** The fraction of the shared state that is away, from 0 to 1. */
  public double shareAway() {
    return (double) away.get() / breakers.size();
  }

  int parts() {
    return breakers.size();
  }

  /** Passes each part that is back to {@code listener}. */
  void onBack(IntConsumer listener) {
    listeners.add(listener);
  }

  /** Stops probing. */
  @Override
  public void close() {
    breakers.forEach(OutageBreaker::close);
  }

  private void changed(int part, boolean isAway) {
    if (isAway) {
      if (away.getAndIncrement() == 0) {
        LOG.warn(
            "{} is away: plans are limited as their failureMode says",
            breakers.size() == 1 ? "Redis" : "a part of Redis");
      }
    } else {
      listeners.forEach(listener -> listener.accept(part));
      if (away.decrementAndGet() == 0) {
        LOG.info("Redis answers again");
      }
    }
  }
}
