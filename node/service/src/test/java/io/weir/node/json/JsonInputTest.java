package io.weir.node.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonFactory;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The only reader of JSON from callers and upstreams. */
final class JsonInputTest {
  @Test
  void noNameThatACallerMakesUpOutlivesItsDocument() {
    assertThat(JsonInput.JSON.isEnabled(JsonFactory.Feature.INTERN_FIELD_NAMES)).isFalse();
    assertThat(JsonInput.JSON.isEnabled(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES))
        .isFalse();
    String one = onlyName("{\"a-name-made-up\":1}");
    assertThat(onlyName("{\"a-name-made-up\":2}")).isNotSameAs(one);
  }

  @Test
  void aSmallDocumentIsReadAsTheLibraryReadsIt() {
    JsonObject document = new JsonObject()
        .put("text", "ü\n\"")
        .put("whole", 7)
        .put("long", 1L << 40)
        .put("part", 1.5)
        .put("flag", true)
        .putNull("nothing")
        .put("list", new JsonArray().add(1).add(new JsonObject().put("a", "b")).addNull());
    assertThat(JsonInput.object(document.toBuffer())).isEqualTo(document);
    assertThat(JsonInput.object(document.encodePrettily())).isEqualTo(document);
    assertThat(JsonInput.value(Buffer.buffer("[1]"))).isEqualTo(new JsonArray().add(1));
    assertThat(JsonInput.value(Buffer.buffer("null"))).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "7",
        "{",
        "{\"a\":1}}",
        "{\"a\":1}{}",
        "{'a':1}",
        "{\"a\":1,}",
        "/**/{}",
        "nothing"
      })
  void anythingElseIsNoObject(String document) {
    assertThatThrownBy(() -> JsonInput.object(document)).isInstanceOf(DecodeException.class);
  }

  @Test
  void aDocumentThatIsTooDeepIsRefused() {
    String deep = "{\"a\":".repeat(1000) + "1" + "}".repeat(1000);
    assertThatThrownBy(() -> JsonInput.object(deep)).isInstanceOf(DecodeException.class);
  }

  private static String onlyName(String document) {
    return JsonInput.object(document).fieldNames().iterator().next();
  }
}
