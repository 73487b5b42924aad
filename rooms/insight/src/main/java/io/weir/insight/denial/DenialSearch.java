package io.weir.insight.denial;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.throttle.Failures;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.node.admin.OperatorWork;
import io.weir.node.json.JsonInput;
import io.weir.state.policy.NodeQuestions;
import io.weir.state.policy.NodeQuestions.Answers;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongFunction;

/** Finds denials that the nodes of the cluster remember, by asking all of them. Safe for use by many threads. */
public final class DenialSearch {
  private static final String TOPIC = "denials";
  private static final String DENIALS = "denials";

  private final NodeQuestions nodes;
  private final Function<DenialQuery, Future<List<Denial>>> here;
  private final LongFunction<Instant> time;

  /**
   * A search that answers for this node, too.
   *
   * @param here finds the denials of this node
   * @param time tells Redis's time at an instant of this process
   */
  public DenialSearch(
      NodeQuestions nodes,
      Function<DenialQuery, Future<List<Denial>>> here,
      LongFunction<Instant> time) {
    this.nodes = nodes;
    this.here = here;
    this.time = time;
    nodes.answer(
        TOPIC,
        text -> own(DenialQuery.parse(JsonInput.object(text)))
            .map(JsonObject::encode)
            .toCompletionStage());
  }

  /**
   * The denials of all nodes, the newest first.
   *
   * @param nodesAsked how many nodes heard the question
   * @param nodesAnswered how many answered in time
   */
  public record Found(List<JsonObject> denials, int nodesAsked, int nodesAnswered) {
    public Found {
      denials = List.copyOf(denials);
    }
  }

  /**
   * Asks all nodes; only this one if Redis is away.
   *
   * @param loop where the future completes
   */
  public Future<Found> find(Context loop, OperatorWork work, DenialQuery asked) {
    Future<Answers> others = Future.fromCompletionStage(nodes.ask(TOPIC, asked.text()), loop)
        .recover(error -> Failures.cause(error) instanceof StoreUnavailableException
            ? Future.succeededFuture(new Answers(0, List.of()))
            : Future.failedFuture(error));
    return others.compose(answers ->
        own(asked).compose(own -> work.run(() -> found(asked, answers, own))));
  }

  private Future<JsonObject> own(DenialQuery asked) {
    return here.apply(asked).map(found -> {
      JsonArray all = new JsonArray();
      found.forEach(denial -> all.add(denial.toJson(time.apply(denial.atNanos()), nodes.node())));
      return new JsonObject().put(DENIALS, all);
    });
  }

  // This node may have been asked, too: its denials are the same in both answers.
  private static Found found(DenialQuery asked, Answers answers, JsonObject own) {
    List<JsonObject> all =
        new ArrayList<>(answers.texts().stream().map(JsonInput::object).toList());
    all.add(own);
    Map<String, JsonObject> denials = new LinkedHashMap<>();
    all.stream()
        .flatMap(answer -> answer.getJsonArray(DENIALS).stream())
        .map(JsonObject.class::cast)
        .forEach(denial -> denials.put(denial.getString("id"), denial));
    List<JsonObject> newest = denials.values().stream()
        .sorted(Comparator.comparing((JsonObject denial) -> Instant.parse(denial.getString("at")))
            .reversed())
        .limit(asked.most())
        .toList();
    return new Found(
        newest, Math.max(1, answers.asked()), Math.max(1, answers.texts().size()));
  }
}
