package io.weir.node.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.weir.core.policy.CostRule;
import io.weir.node.answer.RefusedException;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class CostReaderTest {
  private static final CostRule CALLS =
      new CostRule.Read(CostRule.Source.COUNT, "", OptionalLong.empty(), 1000);

  private static long cost(String body) {
    Request request = new Request("POST", "/rpc", MultiMap.caseInsensitiveMultiMap());
    return CostReader.cost(CALLS, request, Optional.of(Buffer.buffer(body)));
  }

  @Test
  void aBatchCostsItsCalls() {
    assertThat(CostReader.needsBody(CALLS)).isTrue();
    assertThat(cost("{\"method\":\"eth_call\"}")).isEqualTo(1);
    assertThat(cost("[" + "{},".repeat(999) + "{}]")).isEqualTo(1000);
    assertThat(cost("[]")).isEqualTo(1);
  }

  @Test
  void aBatchThatIsTooLongOrNoJsonIsRefused() {
    for (String body : new String[] {"[" + "{},".repeat(1000) + "{}]", "[{},", "", "null"}) {
      assertThatThrownBy(() -> cost(body))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("cost_invalid");
    }
  }
}
