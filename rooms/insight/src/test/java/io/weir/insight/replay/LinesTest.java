package io.weir.insight.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class LinesTest {
  private static final long AT = 971_211_336_000_000L;

  @Test
  void aLineOfTheCommonFormatIsRead() {
    CommonLines lines = new CommonLines(false);

    assertThat(lines.read(
            "127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] \"GET /a?b=1 HTTP/1.0\" 200 2326"))
        .hasValue(
            new LogLine(AT, "frank", "GET", "/a?b=1", Optional.empty(), OptionalLong.empty()));
    assertThat(lines.read(
            "::1 - - [10/Oct/2000:20:55:36 +0000] \"post /x\" 499 0 \"-\" \"a \\\"b\\\" c\""))
        .hasValue(new LogLine(AT, "::1", "POST", "/x", Optional.empty(), OptionalLong.empty()));
    assertThat(new CommonLines(true)
            .read("10.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] \"GET /a HTTP/1.0\" 200 2")
            .orElseThrow()
            .subject())
        .isEqualTo("10.0.0.1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nothing",
        "127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] 200",
        "127.0.0.1 - - [10/Oct/2000:13:55:36] \"GET / HTTP/1.1\" 200",
        "127.0.0.1 [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1\" 200",
        "127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] \"-\" 400 0",
        "127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /"
      })
  void aLineOfAnotherFormIsTold(String line) {
    assertThat(new CommonLines(false).read(line)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "971211336, 971211336000000",
    "971211336.25, 971211336250000",
    "971211336250, 971211336250000",
    "971211336250001, 971211336250001",
    "971211336250001999, 971211336250001",
    "\"2000-10-10T13:55:36.250-07:00\", 971211336250000",
    "\"971211336\", 971211336000000"
  })
  void timesOfJsonAreReadInEveryUsualUnit(String time, long micros) {
    assertThat(new JsonLines(Map.of())
            .read("{\"time\": %s, \"key\": \"k\"}".formatted(time))
            .orElseThrow()
            .atMicros())
        .isEqualTo(micros);
  }

  @Test
  void fieldsOfJsonMayHaveOtherNames() {
    JsonLines lines = new JsonLines(Map.of("key", "user.id", "path", "req", "cost", "tokens"));

    assertThat(lines.read("{\"time\": 971211336, \"user\": {\"id\": 47}, \"req\": \"/x\","
            + " \"method\": \"put\", \"tokens\": 12, \"operation\": \"Ask\"}"))
        .hasValue(new LogLine(AT, "47", "PUT", "/x", Optional.of("Ask"), OptionalLong.of(12)));
    assertThat(lines.read("{\"time\": 971211336}")).isEmpty();
    assertThat(lines.read("{\"time\": \"then\", \"user\": {\"id\": 47}}")).isEmpty();
    assertThat(lines.read("[1]")).isEmpty();
    assertThat(lines.read("{")).isEmpty();
  }

  @Test
  void theRequestsOfASecondAreSpreadOverIt() {
    List<Long> times = new ArrayList<>();
    Spread spread = new Spread(line -> times.add(line.atMicros()));
    for (long at : List.of(5_000_000L, 5_000_000L, 5_000_000L, 5_000_000L, 6_000_000L)) {
      spread.add(new LogLine(at, "k", "GET", "/", Optional.empty(), OptionalLong.empty()));
    }
    spread.end();

    assertThat(times).containsExactly(5_000_000L, 5_250_000L, 5_500_000L, 5_750_000L, 6_000_000L);
  }

  @Test
  void theSpansOfALongTimeAreWide() {
    Timeline timeline = new Timeline();
    for (int second = 0; second < 1000; second++) {
      timeline.count(second * 1_000_000L, second % 4 == 0);
    }

    assertThat(timeline.widthMicros()).isEqualTo(16_000_000);
    assertThat(timeline.spans()).hasSize(63);
    assertThat(timeline.spans().stream().mapToLong(Timeline.Span::admitted).sum())
        .isEqualTo(750);
    assertThat(timeline.spans().stream().mapToLong(Timeline.Span::refused).sum())
        .isEqualTo(250);
    assertThat(timeline.spans().get(1)).isEqualTo(new Timeline.Span(16_000_000, 12, 4));
  }
}
