package io.weir.operators.traces;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.opentelemetry.sdk.trace.samplers.SamplingResult;
import java.util.List;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * Chooses the requests that are recorded: a share of all, by chance, and those whose callers ask for it by the flag of
 * their traces. Both are bounded, each apart from the other: callers choose their flags and the ids of their traces, and
 * must not decide how much a node records. Safe for use by many threads.
 */
final class BoundedSampler implements Sampler {
  static final int MOST_A_SECOND = 100;

  private final double share;
  private final DoubleSupplier random;
  private final PerSecond chosen;
  private final PerSecond asked;

  /** @param random gives numbers from 0 to below 1 */
  BoundedSampler(double share, DoubleSupplier random, LongSupplier nanos) {
    this.share = share;
    this.random = random;
    this.chosen = new PerSecond(MOST_A_SECOND, nanos);
    this.asked = new PerSecond(MOST_A_SECOND, nanos);
  }

  @Override
  public SamplingResult shouldSample(
      Context parent,
      String traceId,
      String name,
      SpanKind kind,
      Attributes attributes,
      List<LinkData> links) {
    SpanContext before = Span.fromContext(parent).getSpanContext();
    boolean isStep = before.isValid() && !before.isRemote();
    boolean isRecorded = isStep ? before.isSampled() : isChosen(before);
    return isRecorded ? SamplingResult.recordAndSample() : SamplingResult.drop();
  }

  private boolean isChosen(SpanContext caller) {
    boolean isAsked = caller.isSampled() && asked.take();
    return isAsked || (random.getAsDouble() < share && chosen.take());
  }

  @Override
  public String getDescription() {
    return "a share of %s".formatted(share);
  }

  /** A number of events in each second. Safe for use by many threads. */
  private static final class PerSecond {
    private static final long SECOND_NANOS = 1_000_000_000L;

    private final int most;
    private final LongSupplier nanos;
    private long begunNanos;
    private int taken;

    PerSecond(int most, LongSupplier nanos) {
      this.most = most;
      this.nanos = nanos;
      this.begunNanos = nanos.getAsLong();
    }

    synchronized boolean take() {
      long now = nanos.getAsLong();
      if (now - begunNanos >= SECOND_NANOS) {
        begunNanos = now;
        taken = 0;
      }
      if (taken >= most) {
        return false;
      }
      taken++;
      return true;
    }
  }
}
