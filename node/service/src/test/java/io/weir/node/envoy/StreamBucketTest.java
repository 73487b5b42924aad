package io.weir.node.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import io.weir.core.assignment.DividedLimit;
import io.weir.core.assignment.UsageReport;
import io.weir.node.envoy.UsageMessage.BucketUsage;
import io.weir.node.envoy.rule.Entry;
import io.weir.node.intake.Bulkhead;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The pace of the reports on one bucket. */
final class StreamBucketTest {
  private static final DividedLimit LIMIT = new DividedLimit(1000, 1);
  private static final List<Entry> ENTRIES = List.of(new Entry("name", "a"));
  private static final long PACE = StreamBucket.PACE.toNanos();
  private static final long BEGIN = Long.MAX_VALUE - PACE / 2; // a time of the system may be any

  private final Bulkhead memory = new Bulkhead(5000, 5000, 5000);
  private final StreamBucket bucket = new StreamBucket(
      ENTRIES, LIMIT, memory.tryTake("c", "", StreamBucket.bytes(ENTRIES)).orElseThrow());

  @Test
  void aReportThatComesTooSoonIsMergedIntoTheNextOne() {
    assertThat(report(5, true, BEGIN)).hasValueSatisfying(first -> {
      assertThat(first.record()).isEqualTo(UsageReport.FRESH);
      assertThat(first.used()).isEqualTo(LIMIT.used(5));
    });
    assertThat(report(7, false, BEGIN)).isEmpty();
    assertThat(report(0, false, BEGIN + PACE / 2)).isEmpty();
    assertThat(report(11, false, BEGIN + PACE - 1)).isEmpty();
    assertThat(report(13, false, BEGIN + PACE))
        .hasValueSatisfying(next -> assertThat(next.used()).isEqualTo(LIMIT.used(31)));
    assertThat(report(0, false, BEGIN + PACE + 1)).isEmpty();
    assertThat(report(0, false, BEGIN + 2 * PACE))
        .hasValueSatisfying(last -> assertThat(last.used()).isZero());
  }

  @Test
  void theMergedUseIsBounded() {
    report(1, true, BEGIN);
    report(Long.MAX_VALUE, false, BEGIN);
    report(Long.MAX_VALUE, false, BEGIN);
    assertThat(report(1, false, BEGIN + PACE))
        .hasValueSatisfying(next -> assertThat(next.used()).isEqualTo(UsageReport.MOST_USED));
  }

  @Test
  void itsMemoryIsFreedOnce() {
    assertThat(memory.taken()).isGreaterThan(2000);
    bucket.removed();
    bucket.removed();
    assertThat(memory.taken()).isZero();
  }

  private Optional<UsageReport> report(long requests, boolean isNew, long now) {
    return bucket.report("c", new BucketUsage(Buffer.buffer(), ENTRIES, requests, isNew), now, now);
  }
}
