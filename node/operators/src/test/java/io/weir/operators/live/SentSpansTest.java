package io.weir.operators.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;

/** From which span on decisions are sent to those who watch. */
final class SentSpansTest {
  private final SentSpans sent = new SentSpans(100);

  private void look(long span, String redis, int asked, int answered) {
    JsonArray nodes = new JsonArray();
    for (int i = 0; i < answered; i++) {
      nodes.add(new JsonObject());
    }
    sent.note(new JsonObject()
        .put("span", span)
        .put("redis", redis)
        .put("nodesAsked", asked)
        .put("nodes", nodes));
  }

  @Test
  void theLastSpansAreSentAgain() {
    assertThat(sent.since(0)).isEqualTo(97);
    look(101, "answers", 2, 2);
    assertThat(sent.since(0)).isEqualTo(98);
  }

  @Test
  void aLateLookSendsAllSinceTheOneBefore() {
    look(101, "answers", 2, 2);
    look(109, "answers", 2, 2);
    assertThat(sent.since(0)).isEqualTo(106);
  }

  @Test
  void whatOtherNodesDecidedMeanwhileIsSentWhenTheyAnswerAgain() {
    look(101, "answers", 2, 2);
    look(105, "away", 1, 1);
    assertThat(sent.since(0)).isEqualTo(102);
    look(120, "answers", 2, 1);
    assertThat(sent.since(0)).isEqualTo(117);
    look(121, "answers", 2, 2);
    assertThat(sent.since(0)).isEqualTo(98);
    look(122, "answers", 2, 2);
    assertThat(sent.since(0)).isEqualTo(119);
  }

  @Test
  void nothingIsSentThatNoNodeKnows() {
    look(500, "away", 1, 1);
    assertThat(sent.since(350)).isEqualTo(497);
    look(501, "answers", 1, 1);
    assertThat(sent.since(351)).isEqualTo(351);
    look(502, "answers", 1, 1);
    assertThat(sent.since(352)).isEqualTo(499);
  }
}
