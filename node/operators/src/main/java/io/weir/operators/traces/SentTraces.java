package io.weir.operators.traces;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanLimits;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.vertx.core.Vertx;
import io.vertx.core.spi.VertxTracerFactory;
import io.vertx.core.spi.context.storage.ContextLocal;
import io.vertx.core.spi.tracing.VertxTracer;
import io.vertx.core.tracing.TracingOptions;
import io.weir.core.throttle.Failures;
import io.weir.node.config.Reports.Traces;
import io.weir.node.trace.Tracing;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.bridge.SLF4JBridgeHandler;

/**
 * Records requests and their steps, and sends them to a collector on a thread of its own. What the collector does not
 * take in time is dropped. Safe for use by many threads.
 */
final class SentTraces implements Tracing {
  private static final int MOST_CHARS = 256;
  private static final int MOST_WAITING = 2048;
  private static final Duration EVERY = Duration.ofSeconds(1);
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final long END_SECONDS = 3;

  /** The step that the request of a Vert.x context is in. */
  private static final ContextLocal<Span> CURRENT = ContextLocal.registerLocal(Span.class);

  private final SdkTracerProvider provider;
  private final Tracer tracer;

  private SentTraces(SdkTracerProvider provider) {
    this.provider = provider;
    this.tracer = provider.get("io.weir");
  }

  /** @param node the name of the node */
  static SentTraces to(Traces wanted, String node) {
    SLF4JBridgeHandler.removeHandlersForRootLogger();
    SLF4JBridgeHandler.install(); // the library logs by java.util.logging
    SpanExporter exporter = OtlpHttpSpanExporter.builder()
        .setEndpoint(wanted.endpoint().toString())
        .setTimeout(TIMEOUT)
        .build();
    return to(
        exporter,
        new BoundedSampler(
            wanted.share(), () -> ThreadLocalRandom.current().nextDouble(), System::nanoTime),
        node);
  }

  private static SentTraces to(SpanExporter exporter, Sampler sampler, String node) {
    return new SentTraces(SdkTracerProvider.builder()
        .setResource(Resource.builder()
            .put("service.name", "weir")
            .put("service.instance.id", node)
            .build())
        .setSampler(sampler)
        .setSpanLimits(
            SpanLimits.builder().setMaxAttributeValueLength(MOST_CHARS).build())
        .addSpanProcessor(BatchSpanProcessor.builder(exporter)
            .setMaxQueueSize(MOST_WAITING)
            .setScheduleDelay(EVERY)
            .setExporterTimeout(TIMEOUT)
            .build())
        .build());
  }

  /** The step that is under way on this thread, if its request is recorded. */
  private static @Nullable Span current() {
    io.vertx.core.Context here = Vertx.currentContext();
    return here == null ? null : current(here);
  }

  static @Nullable Span current(io.vertx.core.Context here) {
    return CURRENT.get(here);
  }

  static void begin(io.vertx.core.Context here, Span step) {
    CURRENT.put(here, step);
  }

  @Override
  public VertxTracerFactory http() {
    return new VertxTracerFactory() {
      @Override
      public VertxTracer<?, ?> tracer(TracingOptions options) {
        return new HttpTraces(tracer, SentTraces.this::end);
      }
    };
  }

  private void end() {
    provider.shutdown().join(END_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public <T> CompletionStage<T> record(
      String step, Supplier<CompletionStage<T>> work, BiConsumer<T, Tracing.Attributes> describe) {
    Span parent = current();
    if (parent == null) {
      return work.get();
    }
    io.vertx.core.Context here = Vertx.currentContext();
    Span span = tracer
        .spanBuilder(step)
        .setSpanKind(SpanKind.INTERNAL)
        .setParent(Context.root().with(parent))
        .startSpan();
    begin(here, span);
    CompletionStage<T> working;
    try {
      working = work.get();
    } finally {
      begin(here, parent);
    }
    return working.whenComplete((result, error) -> {
      if (error != null) {
        span.setStatus(StatusCode.ERROR, Failures.cause(error).getClass().getSimpleName());
      } else {
        describe.accept(result, new OfSpan(span));
      }
      span.end();
    });
  }

  private record OfSpan(Span span) implements Tracing.Attributes {
    @Override
    public void put(String name, String value) {
      span.setAttribute(name, value);
    }

    @Override
    public void put(String name, long value) {
      span.setAttribute(name, value);
    }

    @Override
    public void put(String name, boolean value) {
      span.setAttribute(name, value);
    }
  }
}
