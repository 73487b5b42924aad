package io.weir.operators.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The decisions of a node in spans of time. */
final class CountedTest {
  private final MeterRegistry meters = new SimpleMeterRegistry();
  private final Counted counted =
      new Counted(() -> meters.find("throttle.decisions").counters());

  private void decided(String outcome, int times) {
    meters
        .counter("throttle.decisions", "operation", "Ask", "outcome", outcome, "bucket", "calls")
        .increment(times);
  }

  private static Span span(long number, long admitted, long denied) {
    return new Span(
        number, Map.of("Ask", admitted), Map.of("Ask", denied), Map.of("calls", denied));
  }

  @Test
  void decisionsAreThoseOfTheSpanInWhichTheyWereMade() {
    decided("allowed", 3);
    decided("denied", 1);
    counted.end(100);
    counted.end(101);
    decided("allowed", 2);
    decided("denied", 2);
    counted.end(102);
    assertThat(counted.since(0)).isEqualTo(List.of(span(100, 3, 1), span(102, 2, 2)));
    assertThat(counted.since(101)).isEqualTo(List.of(span(102, 2, 2)));
  }

  @Test
  void aProcessThatStoodStillHasTheMeanOfThatTime() {
    decided("allowed", 1);
    decided("denied", 1);
    counted.end(100);
    decided("allowed", 10);
    decided("denied", 7);
    counted.end(104);
    assertThat(counted.since(101))
        .isEqualTo(List.of(span(101, 2, 1), span(102, 3, 2), span(103, 2, 2), span(104, 3, 2)));
  }

  @Test
  void aLongStandstillFillsAsManySpansAsAreKept() {
    counted.end(100);
    decided("allowed", 10 * Counted.MOST_SPANS);
    counted.end(100_000);
    assertThat(counted.since(0))
        .hasSize(Counted.MOST_SPANS)
        .allSatisfy(span -> assertThat(span.admitted()).isEqualTo(Map.of("Ask", 10L)));
  }

  @Test
  void aClockThatGoesBackCountsOnce() {
    counted.end(100);
    decided("allowed", 5);
    counted.end(99);
    assertThat(counted.since(0))
        .isEqualTo(List.of(new Span(99, Map.of("Ask", 5L), Map.of(), Map.of())));
  }
}
