package io.weir.keys.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What operators write into records. */
final class SettingsTest {
  private static List<String> mistakes(JsonObject json) {
    List<String> mistakes = new ArrayList<>();
    Settings.sent(json, 0, mistakes);
    return mistakes;
  }

  @Test
  void textsThatControlTerminalsAreRefusedWhenTheyAreWritten() {
    for (String hidden :
        List.of("\u009b", "\u009d", "\u202e", "\u2066", "\u200f", "\u2028", "\u2029")) {
      JsonObject note = new JsonObject().put("note", "a" + hidden + "b");
      JsonObject label =
          new JsonObject().put("labels", new JsonObject().put("team", "a" + hidden + "b"));
      assertThat(mistakes(note)).hasSize(1).allMatch(it -> it.startsWith("note: "));
      assertThat(mistakes(label)).hasSize(1).allMatch(it -> it.startsWith("labels: "));
    }
    assertThat(mistakes(new JsonObject().put("note", "Jürgen שלום می‌خواهم 👩‍💻")))
        .isEmpty();
  }

  @Test
  void aRecordOfBeforeStaysReadable() {
    List<String> mistakes = new ArrayList<>();
    Settings read = Settings.read(new JsonObject().put("note", "a\u202eb"), 0, mistakes);
    assertThat(mistakes).isEmpty();
    assertThat(read.note()).isEqualTo("a\u202eb");
  }
}
