package io.weir.operators.traces;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.vertx.core.spi.observability.HttpResponse;
import io.vertx.core.spi.tracing.SpanKind;
import io.vertx.core.spi.tracing.TagExtractor;
import io.vertx.core.spi.tracing.VertxTracer;
import io.vertx.core.tracing.TracingPolicy;
import io.weir.node.trace.RequestTrace;
import java.util.Map.Entry;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Records the requests that a node gets, and those that it sends to upstreams. Neither paths nor headers are recorded:
 * they may contain secrets of callers. Safe for use by many threads.
 */
final class HttpTraces implements VertxTracer<@Nullable Span, @Nullable Span> {
  private static final W3CTraceContextPropagator FORMAT = W3CTraceContextPropagator.getInstance();
  private static final String PARENT = "traceparent";
  private static final int SERVER_ERRORS = 500;
  /** Callers may invent others. */
  private static final Set<String> METHODS =
      Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE");

  private static final TextMapGetter<Iterable<Entry<String, String>>> HEADERS =
      new TextMapGetter<>() {
        @Override
        public @Nullable String get(
            @Nullable Iterable<Entry<String, String>> headers, String name) {
          // The tracestate of a caller is for the upstream, which gets it as it is.
          if (headers != null && name.equals(PARENT)) {
            for (Entry<String, String> header : headers) {
              if (header.getKey().equalsIgnoreCase(name)) {
                return header.getValue();
              }
            }
          }
          return null;
        }
      };

  private final Tracer tracer;
  private final Runnable end;

  HttpTraces(Tracer tracer, Runnable end) {
    this.tracer = tracer;
    this.end = end;
  }

  @Override
  public <R> @Nullable Span receiveRequest(
      io.vertx.core.Context context,
      SpanKind kind,
      TracingPolicy policy,
      R request,
      String operation,
      Iterable<Entry<String, String>> headers,
      TagExtractor<R> tags) {
    if (policy == TracingPolicy.IGNORE) {
      return null;
    }
    Span span = begun(
        operation,
        io.opentelemetry.api.trace.SpanKind.SERVER,
        FORMAT.extract(Context.root(), headers, HEADERS));
    if (!span.isRecording()) {
      return null;
    }
    SentTraces.begin(context, span);
    RequestTrace.begin(context, span.getSpanContext().getTraceId());
    return span;
  }

  @Override
  public <R> void sendResponse(
      io.vertx.core.Context context,
      @Nullable R response,
      @Nullable Span span,
      @Nullable Throwable error,
      TagExtractor<R> tags) {
    answered(span, response, error);
  }

  @Override
  public <R> @Nullable Span sendRequest(
      io.vertx.core.Context context,
      SpanKind kind,
      TracingPolicy policy,
      R request,
      String operation,
      BiConsumer<String, String> headers,
      TagExtractor<R> tags) {
    Span parent = SentTraces.current(context);
    if (policy == TracingPolicy.IGNORE || parent == null) {
      return null;
    }
    Context above = Context.root().with(parent);
    Span span = begun(operation, io.opentelemetry.api.trace.SpanKind.CLIENT, above);
    FORMAT.inject(above.with(span), headers, (to, name, value) -> {
      if (to != null) {
        to.accept(name, value);
      }
    });
    return span;
  }

  @Override
  public <R> void receiveResponse(
      io.vertx.core.Context context,
      @Nullable R response,
      @Nullable Span span,
      @Nullable Throwable error,
      TagExtractor<R> tags) {
    answered(span, response, error);
  }

  private Span begun(String method, io.opentelemetry.api.trace.SpanKind kind, Context parent) {
    boolean isKnown = METHODS.contains(method);
    return tracer
        .spanBuilder(isKnown ? method : "HTTP")
        .setSpanKind(kind)
        .setParent(parent)
        .setAttribute("http.request.method", isKnown ? method : "_OTHER")
        .startSpan();
  }

  private static void answered(
      @Nullable Span span, @Nullable Object response, @Nullable Throwable error) {
    if (span == null) {
      return;
    }
    if (response instanceof HttpResponse answer) {
      span.setAttribute("http.response.status_code", answer.statusCode());
      if (answer.statusCode() >= SERVER_ERRORS) {
        span.setStatus(StatusCode.ERROR);
      }
    }
    if (error != null) {
      span.setStatus(StatusCode.ERROR, error.getClass().getSimpleName());
    }
    span.end();
  }

  @Override
  public void close() {
    end.run();
  }
}
