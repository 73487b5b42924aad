package io.weir.node.check;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.weir.core.slot.TicketRequest;
import io.weir.node.check.CheckRequest.BadCheckException;
import io.weir.node.check.CheckRequest.Check;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CheckRequestTest {
  @Test
  void membersMayComeInAnyOrderWithSpacesAround() {
    Check check = only(
        " {\n\t\"subject\" : \"k1\" , \"cost\":1,\"operation\":\"a.b-C_9\",\"ticket\":true}\r\n");
    assertThat(check.key()).isEmpty();
    assertThat(check.subject()).contains("k1");
    assertThat(check.operation()).isEqualTo("a.b-C_9");
    assertThat(check.price().cost()).hasValue(1);
    assertThat(check.ticket().withinMicros()).isPositive();
  }

  @Test
  void textsMayHaveEscapesAndTheLargestCostIsTakenExactly() {
    Check check =
        only("{\"key\":\"k\u00e9\",\"operation\":\"P\\u0069ng\",\"cost\":9007199254740991}");
    assertThat(check.key()).contains("k\u00e9");
    assertThat(check.operation()).isEqualTo("Ping");
    assertThat(check.price().cost()).hasValue((1L << 53) - 1);
  }

  @Test
  void aTicketIsShownAndOneThatIsNotWantedIsNone() {
    String ticket = "1234567890123456.7.0.0123456789abcdef0123";
    Check shows =
        only("{\"key\":\"k\",\"operation\":\"Ping\",\"ticket\":\"%s\"}".formatted(ticket));
    assertThat(shows.ticket().shown()).isEqualTo(Optional.of(ticket));
    String longest = "1234567890123456.999999999999999.999999999999999.0123456789abcdef0123";
    Check showsLongest =
        only("{\"key\":\"k\",\"operation\":\"Ping\",\"ticket\":\"%s\"}".formatted(longest));
    assertThat(showsLongest.ticket().shown()).isEqualTo(Optional.of(longest));
    Check wantsNone = only("{\"key\":\"k\",\"operation\":\"Ping\",\"ticket\":false}");
    assertThat(wantsNone.ticket()).isEqualTo(TicketRequest.NONE);
    assertThat(wantsNone.price().cost()).isEqualTo(OptionalLong.empty());
  }

  @Test
  void aCheckByItselfMayWaitForItsSlot() {
    assertThat(
            only("{\"key\":\"k\",\"operation\":\"Ping\",\"waitForMs\":60000}").waitMillis())
        .isEqualTo(60_000);
    assertThat(only("{\"key\":\"k\",\"operation\":\"Ping\"}").waitMillis()).isZero();
    assertThatThrownBy(() -> CheckRequest.parse(
            "{\"checks\":[{\"key\":\"k\",\"operation\":\"Ping\",\"waitForMs\":60001}]}"
                .getBytes(UTF_8)))
        .isInstanceOfSatisfying(
            BadCheckException.class,
            e -> assertThat(e.mistakes())
                .containsExactly(
                    "checks[0].waitForMs: in a list (expected: in a check by itself)",
                    "checks[0].waitForMs: 60001 (expected: a whole number from 0 to 60000)"));
  }

  @Test
  void aCheckMayAcceptLessThanItsCost() {
    assertThat(only("{\"key\":\"k\",\"operation\":\"Ping\",\"cost\":9,\"atLeast\":9}")
            .price()
            .atLeast())
        .hasValue(9);
    assertThat(only("{\"key\":\"k\",\"operation\":\"Ping\",\"cost\":9}").price().atLeast())
        .isEmpty();
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
        "{\"key\":\"k\",\"operation\":\"Ping\",\"cost\":0}",
        "{\"key\":\"k\",\"operation\":\"Ping\",\"cost\":01}",
        "{\"key\":\"k\",\"operation\":\"Ping\",\"cost\":1.0}",
        "{\"key\":\"k\",\"operation\":\"Ping\",\"cost\":1e3}",
        "{\"key\":\"k\",\"operation\":\"Ping\",\"cost\":9007199254740993}",
        "{\"key\":\"k\",\"operation\":\"Ping\",\"atLeast\":1}",
        "{\"key\":\"k\",\"operation\":\"Ping\",\"cost\":2,\"atLeast\":0}",
        "{\"key\":\"k\",\"operation\":\"Ping\",\"cost\":2,\"atLeast\":3}",
        "{\"key\":\"k\",\"operation\":\"Ping\",\"ticket\":truefalse}",
        "{\"key\":\"k\",\"operation\":\"a b\"}",
        "{\"checks\":[]}"
      })
  void whateverIsNoCheckIsRefused(String body) {
    assertThatThrownBy(() -> CheckRequest.parse(body.getBytes(UTF_8)))
        .isInstanceOf(BadCheckException.class);
  }

  @Test
  void aCostThatIsNoNumberIsOneMistake() {
    String body = "{\"key\":\"k\",\"operation\":\"Ping\",\"cost\":\"x\"}";
    BadCheckException bad = catchThrowableOfType(
        BadCheckException.class, () -> CheckRequest.parse(body.getBytes(UTF_8)));
    assertThat(bad.mistakes()).singleElement().asString().startsWith("cost: \"x\"");
  }

  private static Check only(String body) {
    return CheckRequest.parse(body.getBytes(UTF_8)).checks().get(0);
  }
}
