package io.weir.node.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.node.json.JsonLookup.BadJsonException;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class JsonLookupTest {
  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      [{"a":[1,2]},{},3]           | ''      | 3
      []                           | ''      | 0
      {"jsonrpc":"2.0"}            | ''      | 1
      "text"                       | ''      | 1
      {"calls":[[1,2],[3]],"b":[]} | /calls  | 2
      {"calls":{"a":1,"b":2}}      | /calls  | 1
      {"a":[{"b":[1,2,3,4]}]}      | /a/0/b  | 4
      null                         | ''      | -1
      {"calls":null}               | /calls  | -1
      {"other":[1]}                | /calls  | -1
      """)
  void aListCountsAsItsElements(String document, String pointer, long count)
      throws BadJsonException {
    OptionalLong expected = count < 0 ? OptionalLong.empty() : OptionalLong.of(count);
    assertThat(JsonLookup.count(document.getBytes(UTF_8), pointer)).isEqualTo(expected);
  }

  @Test
  void aListThatCanBeReadInTwoWaysIsNotCounted() {
    for (String document : new String[] {"{\"c\":[1],\"c\":[1,2]}", "[1", "[1] [2]"}) {
      assertThatThrownBy(() -> JsonLookup.count(document.getBytes(UTF_8), "/c"))
          .isInstanceOf(BadJsonException.class);
    }
  }
}
