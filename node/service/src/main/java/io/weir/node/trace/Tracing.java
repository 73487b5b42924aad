package io.weir.node.trace;

import io.vertx.core.spi.VertxTracerFactory;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** Records how requests went: an extension may. Safe for use by many threads. */
public interface Tracing {
  /** Records nothing. */
  Tracing NONE = new Tracing() {
    @Override
    public VertxTracerFactory http() {
      return VertxTracerFactory.NOOP;
    }

    @Override
    public <T> CompletionStage<T> record(
        String step, Supplier<CompletionStage<T>> work, BiConsumer<T, Attributes> describe) {
      return work.get();
    }
  };

  /** Records the requests that the node gets, and those that it forwards. */
  VertxTracerFactory http();

  /**
   * Does the work, and records it as a step of the request that is served here, if that is recorded. What begins within
   * {@code work} on this thread is a part of the step.
   *
   * @param step a name of the program, not of callers
   * @param describe names what came of it
   * @return what the work returns
   */
  <T> CompletionStage<T> record(
      String step, Supplier<CompletionStage<T>> work, BiConsumer<T, Attributes> describe);

  /** The attributes of a step. */
  interface Attributes {
    void put(String name, String value);

    void put(String name, long value);

    void put(String name, boolean value);
  }
}
