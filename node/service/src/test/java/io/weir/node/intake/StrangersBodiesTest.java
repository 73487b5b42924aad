package io.weir.node.intake;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The choice of the body that is dropped, among bodies of unknown callers. */
final class StrangersBodiesTest {
  private static final long KIB = 1 << 10;

  private final StrangersBodies bodies = new StrangersBodies(100 * KIB);
  private final List<String> gaveWay = new ArrayList<>();

  @Test
  void theOldestBodyOfTheNetworkThatTakesTheMostGivesWay() {
    StrangersBodies.BodyMemory small = begin("other", "small");
    assertThat(small.grow(20 * KIB)).isTrue();
    StrangersBodies.BodyMemory first = begin("heavy", "first");
    assertThat(first.grow(30 * KIB)).isTrue();
    StrangersBodies.BodyMemory second = begin("heavy", "second");
    assertThat(second.grow(30 * KIB)).isTrue();
    assertThat(gaveWay).isEmpty();
    assertThat(begin("third", "new").grow(20 * KIB)).isTrue();
    assertThat(gaveWay).containsExactly("first");
    assertThat(first.grow(1)).isFalse();
    assertThat(small.grow(1)).isTrue();
  }

  @Test
  void addressesThatOneCallerHasAreOneNetwork() {
    StrangersBodies.BodyMemory other = begin("203.0.113.9", "other");
    assertThat(other.grow(30 * KIB)).isTrue();
    for (int i = 1; i <= 4; i++) {
      String network = StrangersBodies.network(Optional.of("2001:db8::" + i));
      assertThat(begin(network, "body " + i).grow(20 * KIB)).isTrue();
    }
    assertThat(gaveWay).containsExactly("body 1");
    assertThat(other.grow(1)).isTrue();
  }

  @Test
  void noMoreIsTakenThanThereIs() {
    for (int i = 0; i < 1000; i++) {
      begin("heavy", "body " + i).grow(7 * KIB);
      assertThat(bodies.taken()).isLessThanOrEqualTo(100 * KIB);
    }
    assertThat(gaveWay).hasSize(1000 - 12);
  }

  @Test
  void aBodyThatIsLongerThanAllTheMemoryGivesWayItself() {
    StrangersBodies.BodyMemory only = begin("heavy", "only");
    assertThat(only.grow(101 * KIB)).isFalse();
    assertThat(bodies.taken()).isZero();
  }

  @Test
  void theEndGivesAllBackOnce() {
    StrangersBodies.BodyMemory place = begin("one", "one");
    place.grow(10 * KIB);
    place.end();
    place.end();
    assertThat(bodies.taken()).isZero();
    assertThat(place.grow(1)).isFalse();
    assertThat(gaveWay).isEmpty();
  }

  private StrangersBodies.BodyMemory begin(String network, String name) {
    return bodies.begin(network, () -> gaveWay.add(name));
  }
}
