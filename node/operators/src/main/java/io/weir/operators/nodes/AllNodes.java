package io.weir.operators.nodes;

import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.weir.core.throttle.Failures;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.node.admin.OperatorWork;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.Bulkhead.Portion;
import io.weir.node.json.JsonInput;
import io.weir.state.policy.NodeQuestions;
import io.weir.state.policy.NodeQuestions.Answers;
import io.weir.state.policy.NodeQuestions.TooManyQuestionsException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/** Asks all nodes on behalf of operators, none of whom may use up the questions of all. Safe for use by many threads. */
public final class AllNodes {
  private static final int MOST_OF_OPERATOR = 16;
  private static final int MOST = 48;
  private static final String NODE = "node";
  private static final ProblemDetails FULL = ProblemDetails.of(
      503, "questions_full", "Too many questions to the nodes are open: ask again");

  private final NodeQuestions nodes;
  private final Bulkhead bounds = new Bulkhead(MOST_OF_OPERATOR, MOST, MOST);

  public AllNodes(NodeQuestions nodes) {
    this.nodes = nodes;
  }

  /** The questions that this node hears, and its name. */
  public NodeQuestions questions() {
    return nodes;
  }

  /** Answers the questions of a topic that this node hears. */
  public void answer(String topic, Function<String, Future<JsonObject>> own) {
    nodes.answer(topic, text -> own.apply(text).map(JsonObject::encode).toCompletionStage());
  }

  /**
   * Asks all nodes.
   *
   * @param operator on whose behalf
   * @return empty if Redis is away, so that only this node is known; fails with {@link RefusedException} if too many
   *     questions are open
   */
  public Future<Optional<Answers>> ask(
      OperatorWork work, String operator, String topic, String text) {
    Optional<Portion> portion = bounds.tryTake(operator, "", 1);
    if (portion.isEmpty()) {
      return Future.failedFuture(new RefusedException(FULL));
    }
    return Future.succeededFuture()
        .compose(begun -> Future.fromCompletionStage(nodes.ask(topic, text), work.loop()))
        .map(Optional::of)
        .recover(error -> failed(Failures.cause(error)))
        .onComplete(asked -> portion.get().free());
  }

  private static Future<Optional<Answers>> failed(Throwable cause) {
    if (cause instanceof StoreUnavailableException) {
      return Future.succeededFuture(Optional.empty());
    }
    return Future.failedFuture(
        cause instanceof TooManyQuestionsException ? new RefusedException(FULL) : cause);
  }

  /** An answer of this node, with its name. */
  public JsonObject named(JsonObject answer) {
    return answer.put(NODE, nodes.node());
  }

  /** The {@link #named} answers by their nodes; this node, which may not have been asked, has its own. */
  public Map<String, JsonObject> byName(Optional<Answers> answers, JsonObject own) {
    Map<String, JsonObject> byName = new TreeMap<>();
    orNone(answers).texts().stream()
        .map(JsonInput::object)
        .forEach(answer -> byName.put(answer.getString(NODE), answer));
    byName.putIfAbsent(nodes.node(), own);
    return byName;
  }

  /**
   * How complete answers are, as the last part of an answer to an operator.
   *
   * @param answered how many nodes have answered, this one among them
   */
  public static JsonObject completeness(Optional<Answers> answers, int answered) {
    return new JsonObject()
        .put("nodesAsked", Math.max(answered, orNone(answers).asked()))
        .put("nodesAnswered", answered)
        .put("redis", answers.isEmpty() ? "away" : "answers");
  }

  /** The answers, or none of no node. */
  public static Answers orNone(Optional<Answers> answers) {
    return answers.orElse(new Answers(0, List.of()));
  }
}
