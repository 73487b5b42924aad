package io.weir.operators.denial;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.admin.OperatorWork;
import io.weir.node.json.JsonInput;
import io.weir.operators.nodes.AllNodes;
import io.weir.state.policy.NodeQuestions.Answers;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongFunction;

/** Finds denials that the nodes of the cluster remember, by asking all of them. Safe for use by many threads. */
public final class DenialSearch {
  private static final String TOPIC = "denials";
  private static final String DENIALS = "denials";

  private final AllNodes nodes;
  private final String listens;
  private final Function<DenialQuery, Future<List<Denial>>> here;
  private final LongFunction<Instant> time;

  /**
   * A search that answers for this node, too.
   *
   * @param listens the address of this node for callers
   * @param here finds the denials of this node
   * @param time tells Redis's time at an instant of this process
   */
  public DenialSearch(
      AllNodes nodes,
      String listens,
      Function<DenialQuery, Future<List<Denial>>> here,
      LongFunction<Instant> time) {
    this.nodes = nodes;
    this.listens = listens;
    this.here = here;
    this.time = time;
    nodes.answer(TOPIC, text -> own(DenialQuery.parse(JsonInput.object(text))));
  }

  /**
   * The denials of all nodes, the newest first.
   *
   * @param nodesAsked how many nodes heard the question
   * @param nodesAnswered how many answered in time
   * @param isRedisAway whether only this node could be asked
   */
  public record Found(
      List<JsonObject> denials, int nodesAsked, int nodesAnswered, boolean isRedisAway) {
    public Found {
      denials = List.copyOf(denials);
    }

    /** Whether other nodes may remember more. */
    public boolean isIncomplete() {
      return isRedisAway || nodesAnswered < nodesAsked;
    }

    /** The denials, and how complete they are. */
    public JsonObject toJson() {
      return new JsonObject()
          .put(DENIALS, new JsonArray(denials))
          .put("nodesAsked", nodesAsked)
          .put("nodesAnswered", nodesAnswered)
          .put("redis", isRedisAway ? "away" : "answers");
    }
  }

  /**
   * Asks all nodes; only this one if Redis is away.
   *
   * @param operator who asks
   */
  public Future<Found> find(OperatorWork work, String operator, DenialQuery asked) {
    return nodes
        .ask(work, operator, TOPIC, asked.text())
        .compose(answers -> own(asked).compose(own -> work.run(() -> found(asked, answers, own))));
  }

  private Future<JsonObject> own(DenialQuery asked) {
    return here.apply(asked).map(found -> {
      JsonArray all = new JsonArray();
      found.forEach(denial -> all.add(denial
          .toJson(time.apply(denial.event().atNanos()), nodes.questions().node())
          .put("listens", listens)));
      return new JsonObject().put(DENIALS, all);
    });
  }

  // This node may have been asked, too: its denials are the same in both answers.
  private static Found found(DenialQuery asked, Optional<Answers> others, JsonObject own) {
    Answers answers = AllNodes.orNone(others);
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
        newest,
        Math.max(1, answers.asked()),
        Math.max(1, answers.texts().size()),
        others.isEmpty());
  }
}
