package io.weir.operators.traces;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.samplers.SamplingDecision;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** How many requests are recorded, whatever their callers send. */
final class BoundedSamplerTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String SPAN = "00f067aa0ba902b7";
  private static final int MOST = BoundedSampler.MOST_A_SECOND;

  private long nanos;

  private static Context flagged(boolean isRemote) {
    TraceState none = TraceState.getDefault();
    TraceFlags flag = TraceFlags.getSampled();
    return Context.root()
        .with(Span.wrap(
            isRemote
                ? SpanContext.createFromRemoteParent(TRACE, SPAN, flag, none)
                : SpanContext.create(TRACE, SPAN, flag, none)));
  }

  private static long recorded(BoundedSampler sampler, Context parent, int requests) {
    long recorded = 0;
    for (int i = 0; i < requests; i++) {
      SamplingDecision decision = sampler
          .shouldSample(parent, TRACE, "GET", SpanKind.SERVER, Attributes.empty(), List.of())
          .getDecision();
      recorded += decision == SamplingDecision.RECORD_AND_SAMPLE ? 1 : 0;
    }
    return recorded;
  }

  private BoundedSampler sampler(double share) {
    return new BoundedSampler(share, new Random(1)::nextDouble, () -> nanos);
  }

  @Test
  void aShareByChanceAndNotByTheIdsOfCallers() {
    assertThat(recorded(sampler(0.05), Context.root(), 1000)).isBetween(30L, 75L);
    assertThat(recorded(sampler(0), Context.root(), 1000)).isZero();
  }

  @Test
  void callersWhoAskForItAreBoundedAndTakeNothingFromOthers() {
    BoundedSampler sampler = sampler(0.05);
    // Their own, and by chance as others.
    assertThat(recorded(sampler, flagged(true), 10_000)).isLessThanOrEqualTo(2L * MOST);
    nanos += 1_000_000_000L;
    assertThat(recorded(sampler, flagged(true), MOST)).isEqualTo(MOST);
    assertThat(recorded(sampler, Context.root(), 1000)).isBetween(30L, 75L);
  }

  @Test
  void allIsBoundedToo() {
    BoundedSampler sampler = sampler(1);
    assertThat(recorded(sampler, Context.root(), 10_000)).isEqualTo(MOST);
    nanos += 999_999_999L;
    assertThat(recorded(sampler, Context.root(), 10)).isZero();
    nanos += 1;
    assertThat(recorded(sampler, Context.root(), 10)).isEqualTo(10);
  }

  @Test
  void theStepsOfARecordedRequestAreRecorded() {
    assertThat(recorded(sampler(0), flagged(false), 1000)).isEqualTo(1000);
  }
}
