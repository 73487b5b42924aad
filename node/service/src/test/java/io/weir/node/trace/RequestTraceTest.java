package io.weir.node.trace;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which headers name a trace (W3C Trace Context, section 3.2). */
final class RequestTraceTest {
  private static final String ID = "4bf92f3577b34da6a3ce929d0e0e4736";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00-of-a-later-version"
      })
  void ofThisOrALaterVersion(String header) {
    assertThat(RequestTrace.idIn(header)).hasValue(ID);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "4bf92f3577b34da6a3ce929d0e0e4736",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736"
      })
  void nothingElse(String header) {
    assertThat(RequestTrace.idIn(header)).isEmpty();
  }

  @Test
  void noHeaderAndAnEndlessOne() {
    assertThat(RequestTrace.idIn(null)).isEmpty();
    assertThat(RequestTrace.idIn("01-" + ID + "-00f067aa0ba902b7-00" + "x".repeat(1000)))
        .isEmpty();
  }
}
