package io.weir.core.fair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The order of turns. An element's first letter is its key. */
final class FairQueueTest {
  private final FairQueue<String, String> turns = new FairQueue<>();

  private void add(String... elements) {
    for (String element : elements) {
      turns.add(element.substring(0, 1), element);
    }
  }

  private List<String> all() {
    List<String> all = new ArrayList<>();
    turns.inTurn().forEachRemaining(all::add);
    return all;
  }

  @Test
  void keysTakeTurnsAndElementsOfAKeyKeepTheirOrder() {
    add("a1", "a2", "a3", "b1", "c1", "c2");
    assertThat(all()).containsExactly("a1", "b1", "c1", "a2", "c2", "a3");
    List<String> polled = Stream.generate(turns::poll)
        .takeWhile(next -> next.isPresent())
        .map(next -> next.get())
        .toList();
    assertThat(polled).containsExactly("a1", "b1", "c1", "a2", "c2", "a3");
    assertThat(turns.isEmpty()).isTrue();
  }

  @Test
  void aKeyThatHadATurnIsLast() {
    add("a1", "a2", "b1");
    assertThat(turns.poll()).contains("a1");
    add("c1");
    assertThat(all()).containsExactly("b1", "a2", "c1");
    assertThat(turns.poll("a")).isEqualTo("a2");
    add("a3");
    assertThat(turns.keys()).containsExactly("b", "c", "a");
  }

  @Test
  void aKeyMayComeLastWithoutATurn() {
    add("a1", "b1");
    turns.comesLast("a");
    turns.comesLast("absent");
    assertThat(all()).containsExactly("b1", "a1");
    assertThat(turns.first("a")).isEqualTo("a1");
  }

  @Test
  void anElementLeavesFromAnywhere() {
    add("a1", "a2", "b1");
    assertThat(turns.remove("a", "a2")).isTrue();
    assertThat(turns.remove("a", "a2")).isFalse();
    assertThat(turns.remove("c", "c1")).isFalse();
    assertThat(turns.countOf("a")).isEqualTo(1);
    assertThat(turns.remove("a", "a1")).isTrue();
    assertThat(turns.keys()).containsExactly("b");
    assertThat(turns.countOf("a")).isZero();
  }

  @Test
  void aKeyWithoutElementsHasNoTurn() {
    assertThat(turns.poll()).isEmpty();
    assertThatThrownBy(() -> turns.poll("a")).hasMessage("nothing waits for a");
    assertThatThrownBy(() -> turns.first("a")).isInstanceOf(IllegalStateException.class);
  }
}
