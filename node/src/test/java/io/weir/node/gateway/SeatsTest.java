package io.weir.node.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.node.gateway.Seats.Seat;
import org.junit.jupiter.api.Test;

final class SeatsTest {
  private final Seats seats = new Seats(3, 2, 100);

  @Test
  void oneSubjectCannotTakeAll() {
    assertThat(seats.take("a", 0)).isPresent();
    assertThat(seats.take("a", 0)).isPresent();
    assertThat(seats.take("a", 0)).isEmpty();
    assertThat(seats.take("b", 0)).isPresent();
    assertThat(seats.take("c", 0)).isEmpty();
    assertThat(seats.taken()).isEqualTo(3);
  }

  @Test
  void bodiesAreBoundedTogether() {
    Seat large = seats.take("a", 90).orElseThrow();
    assertThat(seats.take("b", 11)).isEmpty();
    assertThat(seats.take("b", 10)).isPresent();
    large.free();
    assertThat(seats.take("b", 90)).isPresent();
  }

  @Test
  void aSeatIsFreedOnce() {
    Seat seat = seats.take("a", 50).orElseThrow();
    assertThat(seats.take("a", 50)).isPresent();
    seat.free();
    seat.free();
    assertThat(seats.taken()).isEqualTo(1);
    assertThat(seats.take("a", 51)).isEmpty();
    assertThat(seats.take("a", 50)).isPresent();
    assertThat(seats.take("a", 0)).isEmpty();
  }
}
