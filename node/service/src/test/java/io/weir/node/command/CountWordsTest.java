package io.weir.node.command;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class CountWordsTest {
  @Test
  void oneThingHasNoPlural() {
    assertThat(CountWords.of(1, "node")).isEqualTo("1 node");
    assertThat(CountWords.of(0, "node")).isEqualTo("0 nodes");
    assertThat(CountWords.of(2, "node")).isEqualTo("2 nodes");
  }
}
