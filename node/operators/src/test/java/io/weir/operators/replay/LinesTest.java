package io.weir.operators.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.operators.replay.LineReading.Request;
import io.weir.operators.replay.LineReading.Strange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LinesTest {
  private static final long AT = 971_211_336_000_000L;

  private static Request request(long micros, String caller, String method, String target) {
    return new Request(line(micros, caller, method, target));
  }

  private static LogLine line(long micros, String caller, String method, String target) {
    return new LogLine(
        new LogTime(micros, true),
        caller,
        new RequestLine(method, target),
        Optional.empty(),
        OptionalLong.empty());
  }

  @Test
  void aLineOfTheCommonFormatIsRead() {
    CommonLines lines = new CommonLines(false);

    assertThat(lines.read(
            "127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] \"GET /a?b=1 HTTP/1.0\" 200 2326"))
        .isEqualTo(request(AT, "frank", "GET", "/a?b=1"));
    assertThat(lines.read(
            "::1 - - [10/Oct/2000:20:55:36 +0000] \"post /x\" 499 0 \"-\" \"a \\\"b\\\" c\""))
        .isEqualTo(request(AT, "::/64", "POST", "/x"));
    assertThat(new CommonLines(true)
            .read("10.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] \"GET /a HTTP/1.0\" 200 2"))
        .isEqualTo(request(AT, "10.0.0.1", "GET", "/a"));
  }

  @ParameterizedTest
  @CsvSource({
    "nothing, no time in brackets",
    "127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] 200, no request in quotes after the time",
    "127.0.0.1 - - [10/Oct/2000:13:55:36] \"GET / HTTP/1.1\" 200, a time of another form",
    "127.0.0.1 [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1\" 200, 'not host, ident and user before the time'",
    "a b c d [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1\" 200, 'not host, ident and user before the time'",
    "- - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1\" 200, no caller",
    "127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] \"-\" 400 0, no method and path in the request",
    "127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] \"CONNECT a:443 HTTP/1.1\" 400 0, no method and path in the request",
    "127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /, no request in quotes after the time"
  })
  void aLineOfAnotherFormHasAReason(String line, String reason) {
    assertThat(new CommonLines(false).read(line)).isEqualTo(new Strange(reason));
  }

  @ParameterizedTest
  @CsvSource({
    "971211336, 971211336000000",
    "971211336.25, 971211336250000",
    "971211336250, 971211336250000",
    "971211336250001, 971211336250001",
    "971211336250001999, 971211336250001",
    "\"2000-10-10T13:55:36.250-07:00\", 971211336250000",
    "\"2000-10-10T20:55:36.250+0000\", 971211336250000",
    "\"2000-10-10 20:55:36Z\", 971211336000000",
    "\"10/Oct/2000:13:55:36 -0700\", 971211336000000",
    "\"971211336\", 971211336000000"
  })
  void timesOfJsonAreReadInEveryUsualUnit(String time, long micros) {
    LineReading reading = new JsonLines(Map.of())
        .read("{\"time\": %s, \"key\": \"k\", \"path\": \"/\"}".formatted(time));
    assertThat(reading)
        .isInstanceOfSatisfying(
            Request.class, request -> assertThat(request.line().atMicros()).isEqualTo(micros));
  }

  @Test
  void fieldsOfJsonMayHaveOtherNames() {
    JsonLines lines = new JsonLines(Map.of("key", "user.id", "path", "req", "cost", "tokens"));

    assertThat(lines.read("{\"time\": 971211336, \"user\": {\"id\": 47}, \"req\": \"/x\","
            + " \"method\": \"put\", \"tokens\": 12, \"operation\": \"Ask\"}"))
        .isEqualTo(new Request(new LogLine(
            new LogTime(AT, true),
            "47",
            new RequestLine("PUT", "/x"),
            Optional.of("Ask"),
            OptionalLong.of(12))));
    assertThat(lines.read("{\"time\": 971211336}")).isEqualTo(new Strange("no caller"));
    assertThat(lines.read("{\"time\": \"then\", \"user\": {\"id\": 47}}"))
        .isEqualTo(new Strange("a time of another form"));
    assertThat(lines.read("{\"time\": 1e400}")).isEqualTo(new Strange("a time of another form"));
    assertThat(lines.read("{\"user\": {\"id\": 47}}")).isEqualTo(new Strange("no time"));
    assertThat(lines.read("{\"time\": 971211336, \"user\": {\"id\": 47}}"))
        .isEqualTo(new Strange("no path and no operation"));
    assertThat(lines.read("[1]")).isEqualTo(new Strange("no JSON object"));
    assertThat(lines.read("{")).isEqualTo(new Strange("no JSON object"));
  }

  @Test
  void theRequestsOfASecondAreSpreadOverIt() {
    List<Long> times = new ArrayList<>();
    Spread spread = new Spread(line -> times.add(line.atMicros()));
    for (long at : List.of(5_000_000L, 5_000_000L, 5_000_000L, 5_000_000L, 6_000_000L)) {
      spread.add(line(at, "k", "GET", "/"));
    }
    spread.end();

    assertThat(times).containsExactly(5_000_000L, 5_250_000L, 5_500_000L, 5_750_000L, 6_000_000L);
  }

  @Test
  void theRequestsAreOrderedWithinAWindowAndOlderOnesAreCounted() {
    List<Long> times = new ArrayList<>();
    Ordered ordered = new Ordered(line -> times.add(line.atMicros()));
    long window = Ordered.WINDOW_MICROS;
    for (long at : List.of(20L, 10L, window + 10, window + 15, 15L, window + 11, 9L)) {
      ordered.add(line(at, "k", "GET", "/"));
    }
    ordered.end();

    // When the newest is 15 behind the window, 10 has been passed on: 9 is too late, 15 is not.
    assertThat(times).containsExactly(10L, 10L, 15L, 20L, window + 10, window + 11, window + 15);
    assertThat(ordered.late()).isEqualTo(1);
  }

  @Test
  void aWindowHoldsABoundedNumberOfLines() {
    List<Long> times = new ArrayList<>();
    Ordered ordered = new Ordered(line -> times.add(line.atMicros()));
    for (int i = 0; i <= Ordered.MOST; i++) {
      ordered.add(line(i, "k", "GET", "/"));
    }

    assertThat(times).containsExactly(0L);
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
