package io.weir.node.intake;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.node.intake.Bulkhead.Portion;
import org.junit.jupiter.api.Test;

final class BulkheadTest {
  private final Bulkhead bulkhead = new Bulkhead(2, 3, 4);

  @Test
  void neitherAKeyNorATenantTakesAll() {
    assertThat(bulkhead.tryTake("a", "acme", 2)).isPresent();
    assertThat(bulkhead.tryTake("a", "acme", 1)).isEmpty();
    assertThat(bulkhead.tryTake("b", "acme", 1)).isPresent();
    assertThat(bulkhead.tryTake("b", "acme", 1)).isEmpty();
    assertThat(bulkhead.isFull()).isFalse();
    assertThat(bulkhead.tryTake("c", "globex", 1)).isPresent();
    assertThat(bulkhead.isFull()).isTrue();
    assertThat(bulkhead.tryTake("d", "initech", 1)).isEmpty();
    assertThat(bulkhead.taken()).isEqualTo(4);
  }

  @Test
  void aShareGrowsWithinTheSameBounds() {
    Portion portion = bulkhead.tryTake("a", "acme", 0).orElseThrow();
    assertThat(portion.tryGrow(2)).isTrue();
    assertThat(portion.tryGrow(1)).isFalse();
    assertThat(bulkhead.taken()).isEqualTo(2);
  }

  @Test
  void aShareIsFreedOnceAndTakesNothingAfterwards() {
    Portion portion = bulkhead.tryTake("a", "acme", 2).orElseThrow();
    portion.free();
    portion.free();
    assertThat(bulkhead.taken()).isZero();
    assertThat(portion.tryGrow(1)).isFalse();
    assertThat(bulkhead.tryTake("a", "acme", 2)).isPresent();
  }
}
