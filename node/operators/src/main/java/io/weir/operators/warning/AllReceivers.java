package io.weir.operators.warning;

import static java.util.stream.Collectors.toMap;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.admin.OperatorWork;
import io.weir.operators.nodes.AllNodes;
import io.weir.state.policy.NodeQuestions.Answers;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** The receivers of warnings, with the deliveries of all nodes, by asking them. Safe for use by many threads. */
public final class AllReceivers {
  private static final String TOPIC = "receivers";
  private static final String RECEIVERS = "receivers";
  private static final String NAME = "name";

  private final AllNodes nodes;
  private final NodeWarnings warnings;

  /** Receivers that answer for this node, too. */
  public AllReceivers(AllNodes nodes, NodeWarnings warnings) {
    this.nodes = nodes;
    this.warnings = warnings;
    nodes
        .questions()
        .answer(TOPIC, text -> CompletableFuture.completedFuture(own().encode()));
  }

  /**
   * The rules of the policy, and the receivers of all nodes; those of this one if Redis is away.
   *
   * @param operator who asks
   */
  public Future<JsonObject> look(OperatorWork work, String operator) {
    return nodes.ask(work, operator, TOPIC, "").compose(answers -> work.run(() -> view(answers)));
  }

  private JsonObject own() {
    JsonArray receivers = new JsonArray();
    warnings.deliveries().forEach((name, of) -> receivers.add(of.toJson().put(NAME, name)));
    return nodes.named(new JsonObject().put(RECEIVERS, receivers));
  }

  private JsonObject view(Optional<Answers> answers) {
    Map<String, JsonObject> byNode = nodes.byName(answers, own());
    JsonArray receivers = new JsonArray();
    byNode.values().stream()
        .flatMap(answer -> answer.getJsonArray(RECEIVERS).stream().map(JsonObject.class::cast))
        .collect(
            toMap(one -> one.getString(NAME), Deliveries::parse, Deliveries::plus, TreeMap::new))
        .forEach((name, of) -> receivers.add(of.toJson().put(NAME, name)));
    return new JsonObject()
        .put("rules", new JsonArray(warnings.rules()))
        .put(RECEIVERS, receivers)
        .mergeIn(AllNodes.completeness(answers, byNode.size()));
  }
}
