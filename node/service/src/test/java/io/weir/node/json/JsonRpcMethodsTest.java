package io.weir.node.json;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonRpcMethodsTest {
  private static boolean areSafe(String body) {
    return JsonRpcMethods.areAllIn(Set.of("eth_call", "eth_chainId"), Buffer.buffer(body));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"method\":\"eth_call\"}",
        " {\"id\":1,\"params\":[{\"method\":\"eth_send\"}],\"method\":\"eth_call\"} ",
        "[{\"method\":\"eth_call\"},{\"method\":\"eth_chainId\",\"params\":{}}]",
        "{\"method\":\"eth_call\",\"method\":\"eth_chainId\"}",
        "{\"method\":\"eth_\\u0063all\"}"
      })
  void aCallOrABatchOfSafeMethodsIsSafe(String body) {
    assertThat(areSafe(body)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[]",
        "{}",
        "null",
        "7",
        "\"eth_call\"",
        "{\"method\":\"eth_send\"}",
        "{\"method\":7}",
        "{\"method\":[\"eth_call\"]}",
        "{\"params\":{\"method\":\"eth_call\"}}",
        "[{\"method\":\"eth_call\"},{\"method\":\"eth_send\"}]",
        "[{\"method\":\"eth_call\"},{}]",
        "[{\"method\":\"eth_call\"},7]",
        "[[{\"method\":\"eth_call\"}]]",
        "[{\"method\":\"eth_call\"}",
        "{\"method\":\"eth_call\",\"method\":\"eth_send\"}",
        "{\"method\":\"eth_call\",\"METHOD\":\"eth_send\"}",
        "{\"method\":\"eth_call\"}{\"method\":\"eth_send\"}",
        "{\"method\":\"ETH_CALL\"}"
      })
  void aSimilarMethodIsNotTheSame(String body) {
    assertThat(areSafe(body)).isFalse();
  }

  @Test
  void aDeepBodyIsNot() {
    assertThat(areSafe("{\"method\":\"eth_call\",\"params\":" + "[".repeat(5000)))
        .isFalse();
  }
}
