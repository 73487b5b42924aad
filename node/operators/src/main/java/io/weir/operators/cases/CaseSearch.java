package io.weir.operators.cases;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.admin.OperatorWork;
import io.weir.node.json.JsonInput;
import io.weir.operators.nodes.AllNodes;
import io.weir.state.policy.NodeQuestions.Answers;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** Finds the cases of the cluster, by asking all nodes. Safe for use by many threads. */
public final class CaseSearch {
  private static final String TOPIC = "cases";

  private final AllNodes nodes;
  private final Function<CaseQuery, Future<Cases>> here;
  private final Supplier<Instant> now;

  /**
   * A search that answers for this node, too.
   *
   * @param here finds the cases of this node
   * @param now tells Redis's time
   */
  public CaseSearch(
      AllNodes nodes, Function<CaseQuery, Future<Cases>> here, Supplier<Instant> now) {
    this.nodes = nodes;
    this.here = here;
    this.now = now;
    nodes.answer(TOPIC, text -> own(CaseQuery.parse(JsonInput.object(text))));
  }

  /**
   * Asks all nodes; only this one if Redis is away.
   *
   * @param operator who asks
   */
  public Future<JsonObject> find(OperatorWork work, String operator, CaseQuery asked) {
    return nodes
        .ask(work, operator, TOPIC, asked.text())
        .compose(answers -> own(asked).compose(own -> work.run(() -> found(asked, answers, own))));
  }

  private Future<JsonObject> own(CaseQuery asked) {
    return here.apply(asked)
        .map(cases -> nodes.named(cases.first(now.get().toEpochMilli()).toJson()));
  }

  private JsonObject found(CaseQuery asked, Optional<Answers> answers, JsonObject own) {
    List<JsonObject> all = List.copyOf(nodes.byName(answers, own).values());
    Instant at = now.get();
    List<Cases> ofNodes = all.stream().map(Cases::parse).toList();
    List<Case> cases = asked.state().of(Cases.sum(ofNodes), at.toEpochMilli());
    return new JsonObject()
        .put("state", asked.state().word())
        .put("at", at.toString())
        .put("total", cases.size())
        .put(
            "hasMore",
            ofNodes.stream().anyMatch(one -> asked.state().mayHaveMore(one, at.toEpochMilli())))
        .put(
            "cases",
            new JsonArray(cases.stream().limit(asked.most()).map(Case::describe).toList()))
        .mergeIn(AllNodes.completeness(answers, all.size()));
  }
}
