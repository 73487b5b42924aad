package io.weir.state.degraded;

import io.weir.state.redis.CallObserver;
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
 * Which parts of the shared state are away: all of one Redis, or those of a lost master of a Redis Cluster. Says so in
 * the log, once when the first goes and once when the last is back. Safe for use by many threads.
 */
public final class Outages implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Outages.class);

  private final List<OutageBreaker> breakers;
  private final AtomicInteger away = new AtomicInteger();
  private final List<IntConsumer> listeners = new CopyOnWriteArrayList<>();

  /**
   * @param parts how many there are
   * @param probe asks a part for next to nothing
   */
  public Outages(int parts, IntFunction<? extends CompletionStage<?>> probe) {
    breakers = IntStream.range(0, parts)
        .mapToObj(
            part -> new OutageBreaker(() -> probe.apply(part), isAway -> changed(part, isAway)))
        .toList();
  }

  /** Hears how calls to a part end. */
  public CallObserver observer(int part) {
    return breakers.get(part);
  }

  /** Whether a part is away, as far as is known. */
  public boolean isAway(int part) {
    return breakers.get(part).isAway();
  }

  /** How much of the shared state is away, from 0 to 1. */
  public double shareAway() {
    return (double) away.get() / breakers.size();
  }

  int parts() {
    return breakers.size();
  }

  /** Tells {@code listener} which part is back. */
  void onBack(IntConsumer listener) {
    listeners.add(listener);
  }

  /** Probes no more. */
  @Override
  public void close() {
    breakers.forEach(OutageBreaker::close);
  }

  private void changed(int part, boolean isAway) {
    if (isAway) {
      if (away.getAndIncrement() == 0) {
        LOG.warn(
            "{} is away: plans are limited as their failureMode says",
            breakers.size() == 1 ? "the shared state" : "a part of the shared state");
      }
    } else {
      listeners.forEach(listener -> listener.accept(part));
      if (away.decrementAndGet() == 0) {
        LOG.info("the shared state answers again");
      }
    }
  }
}
