package io.weir.providers.answer;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.MultiMap;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NamedWaitTest {
  private static final Instant NOW = Instant.parse("2026-11-22T12:00:00Z");

  private static long millis(MultiMap headers) {
    return ProviderAnswers.waitMillis(429, headers, NOW).orElse(-1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Retry-After | 3 | 3000",
        "Retry-After | Sun, 22 Nov 2026 12:00:05 GMT | 5000",
        "Retry-After | Sun, 22 Nov 2026 11:00:05 GMT | -1",
        "Retry-After | soon | -1",
        "Retry-After | Sat Nov  6 08:49:37 +999999999 | 3600000",
        "Retry-After | 0 | -1",
        "Retry-After | 999999999 | 3600000",
        "Retry-After | 1.5 | 1500",
        "Retry-After | Sunday, 22-Nov-26 12:00:05 GMT | 5000",
        "Retry-After | Sun Nov 22 12:00:05 2026 | 5000",
        "Retry-After-Ms | 250 | 250",
        "Retry-After-Ms | 250.5 | 251",
        "RateLimit | \"requests\";t=7;r=0 | 7000",
        "RateLimit | \"a;r=0;t=99\";r=5;t=7, \"b\";r=0;t=12 | 12000",
        "RateLimit | \"requests\";r=0;t=7 | 7000",
        "RateLimit | \"requests\";r=5;t=7 | -1",
        "RateLimit-Reset | 12 | 12000",
        "X-RateLimit-Reset | 1763812809 | -1",
        "X-RateLimit-Reset | 3 | 3000",
        "X-Other | 3 | -1"
      })
  void aHeaderNamesTheWait(String name, String value, long expected) {
    assertThat(millis(MultiMap.caseInsensitiveMultiMap().set(name, value))).isEqualTo(expected);
  }

  @Test
  void theMostExactNameCounts() {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap()
        .set("Retry-After", "1")
        .set("Retry-After-Ms", "8")
        .add("RateLimit", "\"requests\";r=0;t=60");
    assertThat(millis(headers)).isEqualTo(8);
    assertThat(millis(headers.set("Retry-After", "5"))).isEqualTo(5000);
    headers.remove("Retry-After").remove("Retry-After-Ms");
    assertThat(millis(headers.add("RateLimit", "\"more\";r=0;t=90"))).isEqualTo(90_000);
    assertThat(ProviderAnswers.waitMillis(503, headers, NOW))
        .as("a quota is no outage")
        .isEmpty();
  }

  @Test
  void aDateIsReckonedFromTheAnswersOwn() {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap()
        .set("Retry-After", "Sun, 22 Nov 2026 12:10:05 GMT")
        .set("Date", "Sun, 22 Nov 2026 12:10:00 GMT");
    assertThat(millis(headers)).isEqualTo(5000);
    assertThat(millis(headers.set("Date", "Sun, 22 Nov 2020 12:10:00 GMT"))).isEqualTo(605_000);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Retry-After | 5 | 60 | 60000",
        "Retry-After | 60 | 5 | 60000",
        "Retry-After | soon | 5 | 5000",
        "Retry-After | 3 | Sun, 22 Nov 2026 12:00:05 GMT | 5000",
        "Retry-After | 3, 60, 5 | 2 | 60000",
        "Retry-After | 3, Sun, 22 Nov 2026 12:00:05 GMT | 2 | 5000",
        "Retry-After | Sun, 22 Nov 2026 12:00:05 GMT, Sunday, 22-Nov-26 12:00:09 GMT | 2 | 9000",
        "Retry-After | Sun Nov 22 12:00:05 2026, 7 | 2 | 7000",
        "Retry-After-Ms | 250 | 900 | 900",
        "RateLimit-Reset | 3 | 12 | 12000",
        "X-RateLimit-Reset | 1795348805 | 1795348809 | 9000",
        "RateLimit | \"a\";r=0;t=7 | \"b\";r=-3;t=12 | 12000"
      })
  void ofSeveralValuesTheLongestWaitCounts(
      String name, String first, String second, long expected) {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap().add(name, first).add(name, second);
    assertThat(millis(headers)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "requests | 0 | 2026-11-22T12:00:05Z | 5000",
        "requests | -2 | 2026-11-22T12:00:05.250Z | 5250",
        "tokens | 0 | 2026-11-22T14:00:00+01:00 | 3600000",
        "input-tokens | 0 | 2026-11-22T12:00:05Z | 5000",
        "output-tokens | 0 | 2026-11-22T12:00:05Z | 5000",
        "output-tokens | 0 | 2026-11-22T11:00:05Z | -1",
        "output-tokens | 0 | tomorrow | -1",
        "output-tokens | 1 | 2026-11-22T12:00:05Z | -1",
        "output-tokens | none | 2026-11-22T12:00:05Z | -1"
      })
  void aQuotaOfAnthropicThatIsExhausted(String what, String left, String reset, long expected) {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap()
        .set("anthropic-ratelimit-" + what + "-remaining", left)
        .set("anthropic-ratelimit-" + what + "-reset", reset);
    assertThat(millis(headers)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"rejected, 1795348809, 9000", "allowed, 1795348809, -1", "rejected, soon, -1"})
  void theUnifiedLimitOfAnthropic(String status, String reset, long expected) {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap()
        .set("anthropic-ratelimit-unified-status", status)
        .set("anthropic-ratelimit-unified-reset", reset);
    assertThat(millis(headers)).isEqualTo(expected);
    assertThat(millis(headers
            .set("anthropic-ratelimit-tokens-remaining", "0")
            .set("anthropic-ratelimit-tokens-reset", "2026-11-22T12:00:01Z")))
        .isEqualTo(Math.max(1000, expected));
  }

  @Test
  void theHeadersOfOpenAi() {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap()
        .set("x-ratelimit-remaining-requests", "0")
        .set("x-ratelimit-reset-requests", "6m0.5s");
    assertThat(millis(headers)).isEqualTo(360_500);
    assertThat(millis(headers.set("x-ratelimit-reset-requests", "-5s"))).isEqualTo(-1);
    headers.set("x-ratelimit-remaining-requests", "-1").set("x-ratelimit-reset-requests", "12");
    assertThat(millis(headers)).isEqualTo(12_000);
    headers.set("x-ratelimit-remaining-requests", "1");
    assertThat(millis(headers)).isEqualTo(-1);
    headers.set("x-ratelimit-remaining-tokens", "0").set("x-ratelimit-reset-tokens", "20ms");
    assertThat(millis(headers)).isEqualTo(20);
  }
}
