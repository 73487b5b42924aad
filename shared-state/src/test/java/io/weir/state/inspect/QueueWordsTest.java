package io.weir.state.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The lines of a queue, as a person reads them. */
final class QueueWordsTest {
  @Test
  void aLineIsOverOnceItsInstantHasPassed() {
    String line =
        "weir:{72nw}:acme:key:alice requests@1/200000.due 15400000 (77 operations until 2026-11-25T18:08:54.500000Z, 64 of 64 parts kept)";
    Instant end = Instant.parse("2026-11-25T18:08:54.5Z");
    assertThat(QueueWords.isOver(line, end.minusMillis(1))).isFalse();
    assertThat(QueueWords.isOver(line, end)).isTrue();
    assertThat(QueueWords.isOver("something else", end)).isFalse();
  }

  @Test
  void eachKindOfLine() {
    assertThat(
            QueueWords.of(
                "weir:{72nw}:acme:key:alice due_at_1795630119875000 6 (operations, to callers without a ticket, at 2026-11-25T18:08:39.875000Z)"))
        .isEqualTo(
            "callers that wait whole seconds retry at 2026-11-25T18:08:39.875000Z: 6 operations.");
    assertThat(
            QueueWords.of(
                "weir:{72nw}:acme:key:alice requests@1/200000.due 15400000 (77 operations until 2026-11-25T18:08:54.500000Z, 64 of 64 parts kept)"))
        .isEqualTo(
            "requests: reserved for callers with a retry time: 77 operations until 2026-11-25T18:08:54.500000Z.");
    assertThat(
            QueueWords.of(
                "weir:{72nw}:acme:key:alice requests@1/200000.turn 1795630138170332 (2026-11-25T18:08:58.170332Z)"))
        .isEqualTo(
            "requests: the last estimate that a caller has ends at 2026-11-25T18:08:58.170332Z.");
    assertThat(
            QueueWords.of(
                "weir:{72nw}:acme:key:alice requests@1/200000.larger 1000000 (5 operations, until 2026-11-25T18:08:59.050000Z)"))
        .isEqualTo(
            "requests: the largest request that waits has an estimate: 5 operations, until 2026-11-25T18:08:59.050000Z.");
    assertThat(QueueWords.of("something else")).isEqualTo("waiting: something else");
  }

  @Test
  void oneOperationIsNotOperations() {
    assertThat(
            QueueWords.of(
                "weir:{72nw}:acme:tenant exports@1/600000000.larger 600000000 (1 operations, until 2026-11-25T18:08:59.050000Z)"))
        .isEqualTo(
            "exports: the largest request that waits has an estimate: 1 operation, until 2026-11-25T18:08:59.050000Z.");
    assertThat(
            QueueWords.of(
                "weir:{72nw}:acme:key:alice requests@1/200000.due 4200000 (21 operations until 2026-11-25T18:08:54.500000Z)"))
        .contains(": 21 operations until");
  }

  @Test
  void aLineIsOfItsLimit() {
    String line = "weir:cluster all@1/5000.turn 1795630138170332 (2026-11-25T18:08:58.170332Z)";
    assertThat(QueueWords.isOf(line, Set.of("all", "requests"))).isTrue();
    assertThat(QueueWords.isOf(line, Set.of("requests"))).isFalse();
    String slot =
        "weir:{72nw}:acme:key:alice due_at_1795630119875000 6 (operations, to callers without a ticket, at 2026-11-25T18:08:39.875000Z)";
    assertThat(QueueWords.isOf(slot, Set.of("requests"))).isTrue();
  }
}
