package io.weir.node.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.node.intake.Bulkhead;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The bounds of a node that follow from its heap. */
final class NodeBulkheadsTest {
  @ParameterizedTest
  @CsvSource({"64, 8", "1024, 32", "8192, 256"})
  void bucketsOfStreamsHaveAPartOfTheHeap(long heapMegabytes, long megabytes) {
    Bulkhead buckets = NodeBulkheads.ofHeap(heapMegabytes << 20).buckets();
    assertThat(buckets.tryTake("one", "", (4 << 20) + 1)).isEmpty();
    assertThat(buckets.tryTake("one", "", 4 << 20)).isPresent();
    assertThat(buckets.tryTake("one", "", 1)).isEmpty();
    IntStream.range(0, 100).forEach(i -> buckets.tryTake("client-" + i, "", 4 << 20));
    assertThat(buckets.taken()).isEqualTo(megabytes << 19);
    IntStream.range(0, 100).forEach(i -> buckets.tryTake("other-" + i, "elsewhere", 4 << 20));
    assertThat(buckets.taken()).isEqualTo(megabytes << 20);
  }
}
