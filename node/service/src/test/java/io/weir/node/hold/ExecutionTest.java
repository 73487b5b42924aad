package io.weir.node.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.policy.Refunds;
import io.weir.core.throttle.Ending;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The charge of a request, by how far it came. */
final class ExecutionTest {
  private static final Refunds KEEPS = new Refunds(true, false, Set.of());
  private static final Refunds REFUNDS = new Refunds(true, true, Set.of());
  private static final Refunds ONLY = new Refunds(true, false, Set.of(200, 404));
  private static final Ending NOTHING = new Ending.Cancelled();
  private static final Ending ALL = new Ending.Settled(Ending.AS_RESERVED);
  private static final Execution FINE = new Execution(true, 200, false);
  private static final Execution FAILED = new Execution(true, 500, true);
  private static final Execution BUSY = new Execution(false, 429, true);
  private static final Execution SILENT = new Execution(true, 0, true);
  private static final Execution LEFT = Execution.UNKNOWN;

  private static Ending ending(Execution execution, Refunds refunds) {
    return execution.ending(refunds, OptionalLong.empty());
  }

  @Test
  void nothingIsChargedForWhatWasNotExecuted() {
    assertThat(ending(BUSY, KEEPS)).isEqualTo(NOTHING);
    assertThat(ending(Execution.NOT_SENT, KEEPS)).isEqualTo(NOTHING);
  }

  @Test
  void thePolicySaysWhatBecomesOfFailures() {
    assertThat(ending(FAILED, KEEPS)).isEqualTo(ALL);
    assertThat(ending(SILENT, KEEPS)).isEqualTo(ALL);
    assertThat(ending(FAILED, REFUNDS)).isEqualTo(NOTHING);
    assertThat(ending(SILENT, REFUNDS)).isEqualTo(NOTHING);
    assertThat(ending(FINE, REFUNDS)).isEqualTo(ALL);
  }

  @Test
  void onlyTheNamedStatusesAreCharged() {
    assertThat(ending(FINE, ONLY)).isEqualTo(ALL);
    assertThat(ending(new Execution(true, 404, true), ONLY)).isEqualTo(ALL);
    assertThat(ending(new Execution(true, 201, false), ONLY)).isEqualTo(NOTHING);
    assertThat(ending(SILENT, ONLY)).isEqualTo(NOTHING);
    assertThat(FAILED.ending(ONLY, OptionalLong.of(7))).isEqualTo(NOTHING);
  }

  @Test
  void aCallerGetsNothingBackByHangingUp() {
    assertThat(ending(LEFT, REFUNDS)).isEqualTo(ALL);
    assertThat(ending(LEFT, ONLY)).isEqualTo(ALL);
  }

  @Test
  void aCostInTheAnswerCounts() {
    Ending seven = new Ending.Settled(7);
    assertThat(FAILED.ending(REFUNDS, OptionalLong.of(7))).isEqualTo(seven);
    assertThat(BUSY.ending(KEEPS, OptionalLong.of(7))).isEqualTo(seven);
  }
}
