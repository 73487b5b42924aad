package io.weir.client.retry;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The waits of answers. */
final class RetryAfterHeadersTest {
  private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");
  private static final long NONE = -1;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // Two headers with the same wait: the finer unit. Otherwise the standard header.
        "429 | Retry-After: 1 / Retry-After-Ms: 230                           | 230",
        "429 | retry-after: 2 / retry-after-ms: 1000.5                        | 1001",
        "429 | Retry-After: 5 / retry-after-ms: 230                           | 5000",
        "429 | retry-after-ms: 230                                            | 230",
        "429 | Retry-After: 0 / Retry-After-Ms: 0                             | -1",
        "503 | Retry-After: 7                                                 | 7000",
        "500 | Retry-After: 7                                                 | 7000",
        "429 | Retry-After: 1.5                                               | 1500",
        "429 | Retry-After:  3                                                | 3000",
        "429 | Retry-After: 0                                                 | -1",
        "429 | Retry-After: -3                                                | -1",
        "429 | Retry-After: soon                                              | -1",
        "429 | Retry-After: 99999999999999999999                              | 8640000000000",
        "429 | Retry-After: 9999999999999999999999999999999999999             | -1",
        // All three formats of dates, relative to the server's own time if it sends one.
        "503 | Retry-After: Sun, 01 Mar 2026 10:00:30 GMT                     | 30000",
        "503 | Retry-After: Sunday, 01-Mar-26 10:00:30 GMT                    | 30000",
        "503 | Retry-After: Sun Mar  1 10:00:30 2026                          | 30000",
        "503 | Retry-After: Sun, 01 Mar 2026 09:59:59 GMT                     | -1",
        "503 | Retry-After: Sun, 01 Mar 2026 10:00:30 GMT / Date: Sun, 01 Mar 2026 10:00:20 GMT | 10000",
        "503 | Retry-After: Sun, 01 Mar 2026 10:00:30 GMT / Date: today       | 30000",
        "503 | Retry-After: Sun, 99 Mar 2026 10:00:30 GMT                     | -1",
        // The exhausted quota, and when it ends.
        "429 | RateLimit: \"minute\";r=0;t=12                                 | 12000",
        "429 | RateLimit: \"a;r=0;t=99\";r=5;t=7, \"b\";r=0;t=12, \"c\";r=0;t=3 | 12000",
        "429 | RateLimit: \"minute\";r=3;t=12                                 | -1",
        "503 | RateLimit: \"minute\";r=0;t=12                                 | -1",
        "429 | RateLimit-Reset: 12                                            | 12000",
        "429 | X-RateLimit-Reset: 1772359209                                  | 9000",
        "429 | X-RateLimit-Reset: 1772359100                                  | -1",
        "429 | Retry-After: 2 / RateLimit: \"minute\";r=0;t=12                | 2000",
        "429 | Retry-After: rubbish / RateLimit-Reset: 3                      | 3000",
        // Of several values the longest wait.
        "503 | Retry-After: 2 / Retry-After: 9                                | 9000",
        "529 | Retry-After: 9, 2                                              | 9000",
        "429 | Retry-After-Ms: 20 / Retry-After-Ms: 700 / Retry-After: 1      | 700",
        // Values in the past are ignored.
        "429 | Retry-After: 0 / Retry-After-Ms: 300                           | 300",
        "429 | Retry-After: Sun, 01 Mar 2026 09:00:00 GMT / RateLimit-Reset: 3 | 3000",
        "429 | X-RateLimit-Reset: 1772359209000                               | 9000",
        "429 | Retry-After: Wed Mar  1 10:00:30 +900000000                    | 8640000000000",
        // The headers of OpenAI.
        "429 | x-ratelimit-remaining-requests: 0 / x-ratelimit-reset-requests: 6m0.5s | 360500",
        "429 | x-ratelimit-remaining-requests: 1 / x-ratelimit-reset-requests: 6m0.5s | -1",
        "429 | x-ratelimit-remaining-requests: -4 / x-ratelimit-reset-requests: 6m0.5s | 360500",
        // The headers of Anthropic.
        "429 | anthropic-ratelimit-input-tokens-remaining: 0 / anthropic-ratelimit-input-tokens-reset: 2026-03-01T10:00:07Z | 7000",
        "429 | anthropic-ratelimit-unified-status: rejected / anthropic-ratelimit-unified-reset: 1772359209 | 9000",
        "429 | Server: nobody                                                 | -1",
      })
  void anAnswerNamesAWait(int status, String headers, long expectedMillis) {
    assertThat(RetryAfterHeaders.millis(status, headers(headers), NOW).orElse(NONE))
        .isEqualTo(expectedMillis);
  }

  private static Headers headers(String text) {
    Map<String, List<String>> all = Stream.of(text.split(" / "))
        .map(line -> line.split(": ?", 2))
        .collect(Collectors.groupingBy(
            line -> line[0].strip().toLowerCase(Locale.ROOT),
            Collectors.mapping(line -> line[1], Collectors.toList())));
    return name -> all.getOrDefault(name.toLowerCase(Locale.ROOT), List.of());
  }

  @Test
  void aLongHeaderIsReadLikeAShortOne() {
    String quoted = "\"" + "a\\b".repeat(50_000) + "\";r=0;t=7";
    Headers headers = name -> name.equals("RateLimit") ? List.of(quoted) : List.of();
    assertThat(RetryAfterHeaders.millis(429, headers, Instant.EPOCH)).hasValue(7000);
  }
}
