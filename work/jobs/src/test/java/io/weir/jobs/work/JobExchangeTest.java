package io.weir.jobs.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.work.JobExchange.Answer;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The waits that answers to jobs name. */
final class JobExchangeTest {
  private static final Instant NOW = Instant.parse("2026-11-22T12:00:00Z");

  private static long waitMillis(int status, MultiMap headers) {
    return new Answer(status, headers, Buffer.buffer(), true, Optional.empty()).waitMillis(NOW);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "202 | Retry-After | 3 | 3000",
        "503 | Retry-After | 3 | 3000",
        "503 | Retry-After | 0 | 0",
        "503 | Retry-After | soon | 0",
        "202 | X-Other | 3 | 0",
        "202 | Retry-After | 1.5 | 1500",
        "202 | Retry-After | Sun, 22 Nov 2026 12:00:05 GMT | 5000",
        "202 | Retry-After | Sun, 22 Nov 2026 11:00:05 GMT | 0",
        "503 | Retry-After-Ms | 250 | 250",
        "429 | RateLimit | \"requests\";r=0;t=7 | 7000",
        "503 | RateLimit | \"requests\";r=0;t=7 | 0",
        "429 | X-RateLimit-Reset | 3 | 3000",
        "503 | Retry-After | 86400 | 86400000",
        "503 | Retry-After | 86401 | 86400000",
        "503 | Retry-After | 9999999 | 86400000",
      })
  void anAnswerNamesAWait(int status, String name, String value, long expected) {
    assertThat(waitMillis(status, MultiMap.caseInsensitiveMultiMap().set(name, value)))
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"0, 4000", "1, 1000", "250, 1000", "1000, 1000", "1500, 1500", "60000, 60000"})
  void aReceiptIsAskedForAfterTheNamedWaitButAtMostOnceASecond(long named, long expected) {
    assertThat(JobRule.DEFAULT.receiptWaitMillis(0, named)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(ints = {202, 404, 408, 409, 425, 429, 500, 503, 507, 520, 529, 599})
  void theResultIsAskedForAgainAfterAnAnswerThatMayPass(int status) {
    assertThat(answer(status).isUndecided()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 204, 400, 410, 501, 505})
  void anyOtherAnswerIsTheResult(int status) {
    assertThat(answer(status).isUndecided()).isFalse();
  }

  private static Answer answer(int status) {
    return new Answer(
        status, MultiMap.caseInsensitiveMultiMap(), Buffer.buffer(), true, Optional.empty());
  }

  @Test
  void aDateIsRelativeToThatOfTheAnswer() {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap()
        .set("Retry-After", "Sun, 22 Nov 2026 12:10:05 GMT")
        .set("Date", "Sun, 22 Nov 2026 12:10:00 GMT");
    assertThat(waitMillis(202, headers)).isEqualTo(5000);
  }
}
