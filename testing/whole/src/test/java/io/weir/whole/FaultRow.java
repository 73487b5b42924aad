package io.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.whole.FaultScene.Answer;
import java.time.Duration;
import java.util.List;

/**
 * The effect of a fault on callers, as one row of the table.
 *
 * @param recoveredMillis from the end of the fault until no request was admitted by a node alone any more, and none
 *     failed
 * @param admittedPercent of the limit, from the beginning of the fault until two seconds after its end
 * @param failed requests without a decision
 * @param hung requests without an answer in time
 * @param broken places that were kept in time and not honoured
 * @param blockedMillis the longest block of an event loop; 0 for less than 100 ms
 */
record FaultRow(
    long recoveredMillis,
    double admittedPercent,
    int asked,
    int failed,
    int hung,
    long broken,
    long blockedMillis) {
  // In a build, beside other processes, a call may occasionally miss its timeout.
  private static final boolean IS_MEASURED = System.getProperty("weir.faults") != null;
  private static final double SLACK = IS_MEASURED ? 0 : 25;

  /** From the answers between two instants; all of one limit for each key, used up before. */
  static FaultRow of(
      FaultScene scene, long from, long mended, long to, double opsPerSec, long brokenBefore) {
    List<Answer> answers = scene.answers(from, to);
    long last = answers.stream()
        .filter(answer -> answer.atNanos() >= mended && (answer.hasFailed() || answer.isByNode()))
        .mapToLong(Answer::atNanos)
        .max()
        .orElse(mended);
    long admitted = answers.stream().filter(Answer::isAdmitted).count();
    FaultRow row = new FaultRow(
        (last - mended) / 1_000_000,
        100 * admitted / (opsPerSec * (to - from) / 1e9),
        answers.size(),
        (int) answers.stream().filter(Answer::hasFailed).count(),
        scene.hung(),
        scene.places("broken") - brokenBefore,
        scene.blockedMillis());
    System.out.println("measured: " + row.asTable());
    return row;
  }

  /** Asserts that no request hung, and that at most this share of the limit was admitted. */
  FaultRow atMost(double percent) {
    assertThat(hung).isZero();
    assertThat(asked).isPositive();
    assertThat(admittedPercent).isLessThanOrEqualTo(percent + SLACK);
    return this;
  }

  FaultRow atLeast(double percent) {
    assertThat(admittedPercent).isGreaterThanOrEqualTo(percent - SLACK);
    return this;
  }

  FaultRow withoutFailures() {
    assertThat(failed).isZero();
    return this;
  }

  FaultRow failedAtMost(double percent) {
    assertThat(100.0 * failed / asked).isLessThanOrEqualTo(percent);
    return this;
  }

  FaultRow recoveredWithin(Duration time) {
    assertThat(recoveredMillis).isLessThanOrEqualTo(IS_MEASURED ? time.toMillis() : Long.MAX_VALUE);
    return this;
  }

  String asTable() {
    if (asked == 0) {
      return "– | – | – | – | – | –";
    }
    return "%s | %.0f %% | %d of %d | %d | %d | %s"
        .formatted(
            recoveredMillis < 0 ? "–" : recoveredMillis + " ms",
            admittedPercent,
            failed,
            asked,
            hung,
            broken,
            blockedMillis == 0 ? "< 100 ms" : blockedMillis + " ms");
  }
}
