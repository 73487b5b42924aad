package io.weir.state.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.SlotHash;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PartitionTest {

  @ParameterizedTest
  @ValueSource(ints = {3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 24, 32, 48})
  void theBusiestMasterHasHardlyMorePartitionsThanTheMean(int masters) {
    int[] counts = partitionsOf(masters);
    double mean = (double) Partition.COUNT / masters;
    assertThat(Arrays.stream(counts).max().orElseThrow() / mean).isLessThanOrEqualTo(1.1);
    assertThat(counts).doesNotContain(0);
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 6, 12, 16, 24, 32, 48, 96})
  void mastersThatDivideThePartitionsHaveEquallyMany(int masters) {
    assertThat(partitionsOf(masters)).containsOnly(Partition.COUNT / masters);
  }

  // The ranges that redis-cli --cluster create gives to masters.
  private static int[] partitionsOf(int masters) {
    int[] counts = new int[masters];
    Partition.all()
        .map(partition -> SlotHash.getSlot(Partition.tag(partition)))
        .forEach(slot -> counts[masterOf(slot, masters)]++);
    return counts;
  }

  private static int masterOf(int slot, int masters) {
    double perMaster = (double) SlotHash.SLOT_COUNT / masters;
    return IntStream.range(0, masters)
        .filter(master -> slot < Math.round((master + 1) * perMaster))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void tenantsAreSpreadOverAllPartitions() {
    int[] counts = new int[Partition.COUNT];
    for (int tenant = 0; tenant < 96_000; tenant++) {
      counts[Partition.of("tenant-" + tenant)]++;
    }
    assertThat(Arrays.stream(counts).min().orElseThrow()).isGreaterThan(850);
    assertThat(Arrays.stream(counts).max().orElseThrow()).isLessThan(1150);
  }

  // Another tag is another key: what is stored would be forgotten.
  @Test
  void tagsStayAsTheyAre() {
    assertThat(RedisKeys.key("acme", "k1")).isEqualTo("weir:{72nw}:acme:key:k1");
    assertThat(RedisKeys.ofExtension("jobs", "Proof")).isEqualTo("weir:{p01}:jobs:Proof");
    assertThat(RedisKeys.ofTenant("acme")).isEqualTo("weir:{p40}:acme");
  }
}
