package io.weir.state.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Scope;
import io.weir.core.kind.Permits;
import io.weir.core.throttle.Held;
import io.weir.inmemory.InMemoryBucketStore;
import io.weir.state.hold.Holds.Events;
import io.weir.state.hold.Holds.LocalHold;
import io.weir.state.keep.ManualLeaseTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The share of permits that a node has by itself. */
final class HoldsTest {
  private static final Permits TEN = new Permits("streams", Scope.TENANT, 10, 1_000_000);

  @Test
  void aloneANodeHasItsShareOfThePermitsAndAtLeastOne() {
    Holds holds = new Holds(
        new ManualLeaseTime(), new InMemoryBucketStore(() -> 1_000_000), Events.NONE, () -> 3);
    Permits one = new Permits("one", Scope.KEY, 1, 1_000_000);
    holds.begin(held("k0", TEN));
    List<LocalHold> alone = new ArrayList<>();
    for (int i = 1; i <= 2; i++) {
      holds.beginAlone(held("k" + i, TEN), List.of(TEN)).ifPresent(alone::add);
    }
    assertThat(alone).hasSize(2);
    assertThat(holds.beginAlone(held("k4", TEN), List.of(TEN))).isEmpty();
    assertThat(holds.beginAlone(held("k4", one), List.of(one))).isPresent();
    assertThat(holds.beginAlone(held("k4", one), List.of(one))).isEmpty();
    assertThat(holds.beginAlone(held("k5", one), List.of(one))).isPresent();
    holds.end(alone.get(0));
    assertThat(holds.beginAlone(held("k4", TEN), List.of(TEN))).isPresent();
  }

  private static Held held(String subject, Permits limit) {
    return new Held(
        "acme",
        subject,
        "id",
        false,
        1_000_000,
        List.of(new Held.Permit(limit.scope(), limit.name())));
  }
}
