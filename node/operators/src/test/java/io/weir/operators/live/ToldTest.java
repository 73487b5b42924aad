package io.weir.operators.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;

/** From which span on those who watch are told. */
final class ToldTest {
  private final Told told = new Told(100);

  private void look(long span, String redis, int asked, int answered) {
    JsonArray nodes = new JsonArray();
    for (int i = 0; i < answered; i++) {
      nodes.add(new JsonObject());
    }
    told.told(new JsonObject()
        .put("span", span)
        .put("redis", redis)
        .put("nodesAsked", asked)
        .put("nodes", nodes));
  }

  @Test
  void theLastSpansAreToldAgain() {
    assertThat(told.since(0)).isEqualTo(97);
    look(101, "answers", 2, 2);
    assertThat(told.since(0)).isEqualTo(98);
  }

  @Test
  void aLateLookTellsAllSinceTheOneBefore() {
    look(101, "answers", 2, 2);
    look(109, "answers", 2, 2);
    assertThat(told.since(0)).isEqualTo(106);
  }

  @Test
  void whatOtherNodesDecidedMeanwhileIsToldWhenTheyAnswerAgain() {
    look(101, "answers", 2, 2);
    look(105, "away", 1, 1);
    assertThat(told.since(0)).isEqualTo(102);
    look(120, "answers", 2, 1);
    assertThat(told.since(0)).isEqualTo(117);
    look(121, "answers", 2, 2);
    assertThat(told.since(0)).isEqualTo(98);
    look(122, "answers", 2, 2);
    assertThat(told.since(0)).isEqualTo(119);
  }

  @Test
  void nothingIsToldThatNoNodeKnows() {
    look(500, "away", 1, 1);
    assertThat(told.since(350)).isEqualTo(497);
    look(501, "answers", 1, 1);
    assertThat(told.since(351)).isEqualTo(351);
    look(502, "answers", 1, 1);
    assertThat(told.since(352)).isEqualTo(499);
  }
}
