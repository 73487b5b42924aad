package io.weir.node.check;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.node.check.CheckRequest.BadCheckException;
import io.weir.node.check.CheckRequest.Check;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SmallCheckTest {
  private static final List<String> USUAL = List.of(
      "{\"key\":\"k1.secret\",\"operation\":\"Ping\"}",
      "{\"key\": \"k1.secret\", \"operation\": \"Ping\", \"cost\": 30}",
      " {\n\t\"subject\" : \"k1\" , \"cost\":1,\"operation\":\"a.b-C_9\",\"ticket\":true}\r\n",
      "{\"operation\":\"Ping\",\"ticket\":false,\"key\":\"\"}",
      "{\"operation\":\"Ping\",\"ticket\":\"1234567890123456.abcdefghijklmnopqrstuv\",\"key\":\"k\"}",
      "{\"operation\":\"Ping\",\"cost\":999999999999999,\"key\":\"k\"}");
  private static final String WORDS =
      "{}[]:,\"\\ \n0123456789-+.eEtrufalsn\u00e9keyopticsbjd\u0000";

  @Test
  void theUsualRequestIsReadAtOnceAndAsTheParserReadsIt() {
    for (String body : USUAL) {
      assertThat(SmallCheck.read(body.getBytes(UTF_8))).as(body).isNotNull();
      same(body.getBytes(UTF_8));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{}",
        "{\"key\":\"k\",\"operation\":\"Ping\"",
        "{\"key\":\"k\",\"operation\":\"Ping\"}}",
        "{\"key\":\"k\",\"operation\":\"Ping\",}",
        "{\"key\":\"k\",\"key\":\"k\",\"operation\":\"Ping\"}",
        "{\"key\":\"k\",\"subject\":\"k\",\"operation\":\"Ping\"}",
        "{\"key\":\"k\",\"operation\":\"P\\u0069ng\"}",
        "{\"key\":\"k\",\"operation\":\"Ping\",\"cost\":0}",
        "{\"key\":\"k\",\"operation\":\"Ping\",\"cost\":01}",
        "{\"key\":\"k\",\"operation\":\"Ping\",\"cost\":1.0}",
        "{\"key\":\"k\",\"operation\":\"Ping\",\"cost\":1e3}",
        "{\"key\":\"k\",\"operation\":\"Ping\",\"cost\":9007199254740993}",
        "{\"key\":\"k\",\"operation\":\"Ping\",\"ticket\":truefalse}",
        "{\"key\":\"k\",\"operation\":\"a b\"}",
        "{\"key\":\"k\u00e9\",\"operation\":\"Ping\"}",
        "{\"checks\":[]}"
      })
  void whateverIsUnusualIsLeftToTheParser(String body) {
    assertThat(SmallCheck.read(body.getBytes(UTF_8))).isNull();
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 20_261_122})
  void whatIsReadAtOnceIsWhatTheParserReads(long seed) {
    Random random = new Random(seed);
    int read = 0;
    for (int i = 0; i < 200_000; i++) {
      byte[] body = changed(USUAL.get(random.nextInt(USUAL.size())), random).getBytes(UTF_8);
      read += same(body) ? 1 : 0;
    }
    assertThat(read).isGreaterThan(20_000);
  }

  private static String changed(String body, Random random) {
    StringBuilder text = new StringBuilder(body);
    int changes = 1 + random.nextInt(2);
    for (int i = 0; i < changes; i++) {
      int at = random.nextInt(text.length());
      char c = WORDS.charAt(random.nextInt(WORDS.length()));
      switch (random.nextInt(3)) {
        case 0 -> text.setCharAt(at, c);
        case 1 -> text.insert(at, c);
        default -> text.deleteCharAt(at);
      }
      if (text.isEmpty()) {
        return "";
      }
    }
    return text.toString();
  }

  // Returns whether the fast reader read it.
  private static boolean same(byte[] body) {
    @Nullable CheckRequest small = SmallCheck.read(body);
    if (small == null) {
      return false;
    }
    Optional<CheckRequest> parsed = parsed(body);
    assertThat(parsed).as(new String(body, UTF_8)).isPresent();
    Check one = small.checks().get(0);
    Check other = parsed.orElseThrow().checks().get(0);
    // Each new ticket has another id.
    assertThat(List.of(one.key(), one.subject(), one.operation(), one.cost()))
        .isEqualTo(List.of(other.key(), other.subject(), other.operation(), other.cost()));
    assertThat(one.ticket().shown()).isEqualTo(other.ticket().shown());
    assertThat(one.ticket().withinMicros()).isEqualTo(other.ticket().withinMicros());
    assertThat(small.isList()).isFalse();
    return true;
  }

  private static Optional<CheckRequest> parsed(byte[] body) {
    try {
      return Optional.of(CheckRequest.parsed(body));
    } catch (BadCheckException e) {
      return Optional.empty();
    }
  }
}
