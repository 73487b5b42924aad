package io.weir.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NearestTest {
  private static final List<String> NAMES =
      List.of("Files", "Ping", "Pong", "CryptoTransfer", "ContractCall", "Top");

  @ParameterizedTest
  @CsvSource({
    "Fiels, Files",
    "files, Files",
    "FILES, Files",
    "File, Files",
    "Pin, Ping",
    "crypto-transfer, CryptoTransfer",
    "CryptoTransfers, CryptoTransfer",
    "contract.cal, ContractCall",
    "tpo, Top"
  })
  void aTypingErrorFindsTheName(String mistyped, String name) {
    assertThat(Nearest.to(mistyped, NAMES)).contains(name);
  }

  @ParameterizedTest
  @CsvSource({"Query", "x", "ContractCreate", "PingPongPing"})
  void anotherWordFindsNone(String mistyped) {
    assertThat(Nearest.to(mistyped, NAMES)).isEmpty();
    assertThat(Nearest.to(mistyped, List.of())).isEmpty();
  }

  @Test
  void ofSeveralTheFirstOfTheAlphabetIsFoundInEveryOrder() {
    assertThat(Nearest.to("Pung", List.of("Pong", "Ping"))).contains("Ping");
    assertThat(Nearest.to("Pung", List.of("Ping", "Pong"))).contains("Ping");
  }
}
