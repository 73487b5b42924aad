package io.weir.jobs.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.weir.jobs.rule.ClaimedJobs;
import io.weir.jobs.rule.JobQueue;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The series of queues of operations that a policy has had. */
final class JobMetersTest {
  private static final ClaimedJobs THREE_WAIT = new ClaimedJobs(
      new JobQueue(3, 0, 0, 0, 0, 0), new ClaimedJobs.Overdue(0, 0, 0), -1, List.of(), List.of());

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final JobMeters meters = new JobMeters(registry);

  private List<Double> waiting() {
    return registry.find("throttle.jobs.queue").tag("queue", "waiting").gauges().stream()
        .map(gauge -> gauge.value())
        .toList();
  }

  @Test
  void aQueueIsShownFromItsFirstMoment() {
    meters.queue("Print");
    assertThat(waiting()).containsExactly(0.0);
    meters.queue("Print", THREE_WAIT);
    assertThat(waiting()).containsExactly(3.0);
  }

  @Test
  void aQueueThatIsGoneHasNoSeriesWhateverIsAnsweredLater() {
    meters.queue("Print");
    meters.queue("Print", THREE_WAIT);
    meters.gone("Print");
    assertThat(registry.find("throttle.jobs.queue").gauges()).isEmpty();
    meters.queue("Print", THREE_WAIT);
    assertThat(registry.find("throttle.jobs.queue").gauges()).isEmpty();
    meters.queue("Print");
    assertThat(waiting()).containsExactly(0.0);
  }
}
