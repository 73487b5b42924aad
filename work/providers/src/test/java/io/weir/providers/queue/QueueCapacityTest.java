package io.weir.providers.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.providers.queue.QueueCapacities.Capacity;
import io.weir.providers.queue.QueueCapacity.Position;
import io.weir.providers.rule.Bounds;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The places of one upstream on one node. */
final class QueueCapacityTest {
  private final List<String> displaced = new ArrayList<>();

  private static QueueCapacity places(int maxQueue) {
    return Capacity.of(new Bounds(1, Optional.empty(), maxQueue, 1000, 1000)).waiting();
  }

  private List<Position> take(QueueCapacity places, String key, String tenant) {
    List<Position> taken = new ArrayList<>();
    Optional<Position> next = place(places, key, tenant);
    while (next.isPresent()) {
      taken.add(next.get());
      next = place(places, key, tenant);
    }
    return taken;
  }

  private Optional<Position> place(QueueCapacity places, String key, String tenant) {
    return places.take(key, tenant, () -> displaced.add(key));
  }

  @Test
  void aKeyThatWaitsAloneMayUseTheWholeQueue() {
    assertThat(take(places(20), "k1", "acme")).hasSize(20);
    assertThat(displaced).isEmpty();
  }

  @Test
  void othersGetTheirPartFromAKeyThatHasMoreThanItsOwn() {
    QueueCapacity places = places(20);
    take(places, "k1", "acme");
    assertThat(take(places, "k2", "acme")).as("of its tenant").isEmpty();
    assertThat(take(places, "k3", "globex")).as("of others").hasSize(10);
    assertThat(displaced).hasSize(10).containsOnly("k1");
    assertThat(places.taken()).isEqualTo(20);
    assertThat(place(places, "k1", "acme")).as("more than its half").isEmpty();
  }

  @Test
  void aKeyBesideAnotherHasHalfOfTheQueueAndATenantThreeQuarters() {
    QueueCapacity places = places(20);
    assertThat(place(places, "k3", "globex")).isPresent();
    assertThat(take(places, "k1", "acme")).hasSize(10);
    assertThat(take(places, "k2", "acme")).hasSize(5);
    assertThat(displaced).isEmpty();
  }

  @Test
  void aPlaceThatIsBackWithinItsPartIsNotDisplaced() {
    QueueCapacity places = places(4);
    List<Position> mine = take(places, "k1", "acme");
    mine.get(0).free();
    mine.get(1).free();
    mine.get(1).free();
    assertThat(take(places, "k2", "globex")).hasSize(2);
    assertThat(displaced).isEmpty();
    mine.forEach(Position::free);
    assertThat(places.taken()).isEqualTo(2);
  }

  @Test
  void aQueueOfOnePlaceHasOneForAnybodyAndAnEmptyOneNone() {
    assertThat(take(places(1), "k1", "acme")).hasSize(1);
    assertThat(take(places(0), "k1", "acme")).isEmpty();
  }
}
