package io.weir.operators.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.weir.operators.live.MeterRow.Bucket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What meters have counted lately, on a clock that the test moves. */
final class LastMinuteTest {
  private final AtomicLong nanos = new AtomicLong(-7);
  private final LastMinute minute = new LastMinute(nanos::get);
  private final MeterRegistry meters = new SimpleMeterRegistry();

  private MeterRow row() {
    return MeterRow.of(meters.counter("throttle.jobs.ended", "operation", "Proof"))
        .orElseThrow();
  }

  private void count(int times) {
    meters.counter("throttle.jobs.ended", "operation", "Proof").increment(times);
  }

  private void pass(int seconds) {
    for (int i = 0; i < seconds; i++) {
      nanos.addAndGet(Duration.ofSeconds(1).toNanos());
      if (minute.isDue()) {
        minute.keep(Map.of(row().id(), row()));
      }
    }
  }

  private double grown() {
    return minute.beginning().grown(row()).orElseThrow().value();
  }

  @Test
  void aNodeThatHasJustStartedTellsWhatItHasCountedSinceThen() {
    count(3);
    pass(25);
    count(2);
    assertThat(minute.beginning().age()).hasSeconds(25);
    assertThat(grown()).isEqualTo(5);
  }

  @Test
  void whatIsOlderThanAMinuteIsForgottenTenSecondsLaterAtTheLatest() {
    count(3);
    pass(15);
    count(2);
    pass(50);
    assertThat(minute.beginning().age()).hasSeconds(65);
    assertThat(grown()).isEqualTo(5);
    pass(5);
    assertThat(minute.beginning().age()).hasSeconds(60);
    assertThat(grown()).isEqualTo(2);
    pass(20);
    assertThat(grown()).isZero();
    pass(1000);
    assertThat(minute.beginning().age()).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(70));
  }

  @Test
  void aProcessThatStoodStillTellsOfThatTime() {
    pass(60);
    count(4);
    nanos.addAndGet(Duration.ofMinutes(5).toNanos());
    assertThat(minute.beginning().age()).isEqualTo(Duration.ofMinutes(5));
    assertThat(grown()).isEqualTo(4);
  }

  @Test
  void timesAreThoseOfTheMinuteAlone() {
    Timer timer = Timer.builder("throttle.upstream.latency")
        .serviceLevelObjectives(Duration.ofMillis(10), Duration.ofMillis(50), Duration.ofMillis(90))
        .register(meters);
    timer.record(Duration.ofMillis(80));
    MeterRow before = MeterRow.of(timer).orElseThrow();
    minute.keep(Map.of(before.id(), before));
    nanos.addAndGet(Duration.ofMinutes(1).toNanos());
    timer.record(Duration.ofMillis(20));
    timer.record(Duration.ofMillis(5));

    MeterRow grown = minute.beginning().grown(MeterRow.of(timer).orElseThrow()).orElseThrow();
    assertThat(grown.value()).isEqualTo(2);
    assertThat(grown.buckets()).isEqualTo(List.of(new Bucket(10, 1), new Bucket(50, 2)));
  }

  @Test
  void aMeterThatOnlyStandsHasNotGrown() {
    meters.gauge("throttle.jobs.queue", 4);
    assertThat(MeterRow.of(meters.get("throttle.jobs.queue").gauge())
            .flatMap(minute.beginning()::grown))
        .isEmpty();
  }
}
