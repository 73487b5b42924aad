package io.weir.client.retry;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpTimeoutException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the log of a retry says of an attempt. */
final class CallOutcomeTest {
  private static CallOutcome outcome(Throwable failure) {
    return CallOutcome.of(failure, call());
  }

  private static ScriptedCall call() {
    return new ScriptedCall(new ManualTime(), true);
  }

  @Test
  void aFailureIsLoggedWithItsMessageAndCountedByItsKind() {
    CallOutcome outcome = outcome(new HttpTimeoutException("request timed out"));
    assertThat(outcome.detail()).isEqualTo("HttpTimeoutException: request timed out");
    assertThat(outcome.reason()).isEqualTo("HttpTimeoutException");
  }

  @Test
  void theMessageOfTheCauseStandsForAMissingOne() {
    ConnectException failure = new ConnectException();
    assertThat(outcome(failure).detail()).isEqualTo("ConnectException");
    failure.initCause(new ConnectException("Connection refused"));
    assertThat(outcome(failure).detail()).isEqualTo("ConnectException: Connection refused");
  }

  @Test
  void aMessageIsOneLineOfBoundedLength() {
    String detail =
        outcome(new IOException("first\r\nsecond" + "x".repeat(5000))).detail();
    assertThat(detail).startsWith("IOException: first secondxxx").hasSize(214);
  }

  @Test
  void anAnswerIsLoggedWithItsStatus() {
    CallOutcome outcome = CallOutcome.of(503, name -> List.of(), Instant.EPOCH, call());
    assertThat(outcome.detail()).isEqualTo("503");
  }
}
