package io.weir.testkit;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestPlan;

/**
 * Lets each wait of a test take up to a minute unless it says another time: a machine with other work needs more than
 * Awaitility's ten seconds. JUnit finds it by its name in {@code META-INF/services}.
 */
public final class PatientWaits implements TestExecutionListener {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @Override
  public void testPlanExecutionStarted(TestPlan plan) {
    Awaitility.setDefaultTimeout(PATIENCE);
  }
}
