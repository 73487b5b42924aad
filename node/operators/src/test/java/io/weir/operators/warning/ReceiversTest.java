package io.weir.operators.warning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file of receivers: what is accepted, and what is said of mistakes. */
final class ReceiversTest {
  private static final String SECRET = "whsec_"
      + Base64.getEncoder()
          .encodeToString("24 bytes or more of a secret".getBytes(StandardCharsets.US_ASCII));

  @TempDir
  private Path folder;

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("webhooks.json"), text);
  }

  @Test
  void receiversWithTheirAddressesAndSecrets() throws IOException {
    Map<String, Receiver> read = Receivers.read(file("""
        {"receivers": {"ops": {"url": "https://ops.example.com/in", "secrets": ["%1$s", "%1$s"]}}}
        """.formatted(SECRET)));
    assertThat(read).containsOnlyKeys("ops");
    Receiver ops = Objects.requireNonNull(read.get("ops"));
    assertThat(ops.url()).hasToString("https://ops.example.com/in");
    assertThat(ops.signature("msg_1", "1614265330", "{}").split(" ")).hasSize(2);
    assertThat(ops).hasToString("ops");
  }

  @Test
  void theSignatureIsThatOfTheStandard() throws IOException {
    // The example of the Standard Webhooks specification's libraries.
    Path file = file("""
        {"receivers": {"ops": {"url": "https://a.example", "secrets": ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]}}}
        """);
    Receiver receiver = Objects.requireNonNull(Receivers.read(file).get("ops"));
    assertThat(receiver.signature(
            "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", "{\"test\": 2432232314}"))
        .isEqualTo("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  }

  @Test
  void allMistakesAtOnceAndNoSecret() throws IOException {
    Path file = file("""
        {"receivers": {
           "a": {"url": "ftp://x", "secrets": []},
           "b": {"url": "https://u:p@x", "secrets": ["whsec_short"], "method": "PUT"}}, "more": 1}
        """);
    assertThatThrownBy(() -> Receivers.read(file))
        .hasMessageContainingAll(
            "webhooks.json",
            "more: no such field",
            "receivers.a.url",
            "receivers.a.secrets",
            "receivers.b.url",
            "receivers.b.secrets[0]",
            "receivers.b.method: no such field")
        .hasMessageNotContainingAny("short", "u:p");
  }

  @Test
  void whatIsNoJson() throws IOException {
    Path file = file("receivers: x");
    assertThatThrownBy(() -> Receivers.read(file)).hasMessageContaining("broken JSON at line 1");
  }
}
