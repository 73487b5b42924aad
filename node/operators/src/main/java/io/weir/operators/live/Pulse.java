package io.weir.operators.live;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.admin.OperatorWork;
import io.weir.operators.nodes.AllNodes;
import io.weir.operators.nodes.RedisNodes.LastHour;
import io.weir.operators.nodes.RedisNodes.SeenNode;
import io.weir.operators.status.ClusterStatus;
import io.weir.operators.status.ClusterStatus.NodeAnswers;
import io.weir.state.policy.NodeQuestions.Answers;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** The nodes of the cluster and what they decided lately, by asking all of them. Safe for use by many threads. */
public final class Pulse {
  private static final String TOPIC = "pulse";
  private static final String SPANS = "spans";
  private static final String STATUS = "status";

  private final AllNodes nodes;
  private final Counted counted;
  private final Supplier<JsonObject> facts;
  private final Supplier<CompletionStage<LastHour>> lastHour;
  private final ClusterStatus status;
  private final Supplier<Instant> now;

  /**
   * A pulse that answers for this node, too.
   *
   * @param facts what this node is and holds
   * @param lastHour the nodes of the last hour
   * @param now tells Redis's time
   */
  Pulse(
      AllNodes nodes,
      Counted counted,
      Supplier<JsonObject> facts,
      Supplier<CompletionStage<LastHour>> lastHour,
      ClusterStatus status,
      Supplier<Instant> now) {
    this.nodes = nodes;
    this.counted = counted;
    this.facts = facts;
    this.lastHour = lastHour;
    this.status = status;
    this.now = now;
    nodes.answer(TOPIC, text -> Future.succeededFuture(own(Long.parseLong(text))));
  }

  /** The number of the span that is not over. */
  long span() {
    return Math.floorDiv(now.get().getEpochSecond(), (long) Span.SECONDS);
  }

  /** The span after which nothing is older than five minutes. */
  public long oldest() {
    return span() - Counted.MOST_SPANS;
  }

  /**
   * Asks all nodes; only this one if Redis is away.
   *
   * @param operator who asks
   * @param since the number of the first span that is told
   */
  public Future<JsonObject> look(OperatorWork work, String operator, long since) {
    return nodes
        .ask(work, operator, TOPIC, Long.toString(since))
        .compose(answers -> recorded(work, answers)
            .compose(known -> work.run(() -> summed(answers, known, since))));
  }

  /** Whether the cluster needs an operator: the verdict in what {@link #look} finds. */
  public Future<JsonObject> status(OperatorWork work, String operator) {
    return look(work, operator, span()).map(found -> found.getJsonObject(STATUS));
  }

  private JsonObject own(long since) {
    JsonArray spans = new JsonArray();
    counted.since(since).forEach(span -> spans.add(span.toJson()));
    return nodes.named(facts.get()).put(SPANS, spans);
  }

  private Future<LastHour> recorded(OperatorWork work, Optional<Answers> answers) {
    return answers.isEmpty()
        ? Future.succeededFuture(LastHour.UNKNOWN)
        : work.of(lastHour.get()).otherwise(LastHour.UNKNOWN);
  }

  private JsonObject summed(Optional<Answers> others, LastHour known, long since) {
    Map<String, JsonObject> byName = nodes.byName(others, own(since));
    Map<Long, List<Span>> bySpan = new TreeMap<>();
    byName.values().stream()
        .flatMap(answer -> ((JsonArray) answer.remove(SPANS)).stream())
        .map(span -> Span.parse((JsonObject) span))
        .forEach(span ->
            bySpan.computeIfAbsent(span.number(), first -> new ArrayList<>()).add(span));
    JsonArray spans = new JsonArray();
    bySpan.forEach((number, of) -> spans.add(Span.sum(number, of).toJson()));
    List<JsonObject> answers = List.copyOf(byName.values());
    int asked = Math.max(answers.size(), AllNodes.orNone(others).asked());
    Instant at = now.get();
    List<SeenNode> unseen =
        known.nodes().stream().filter(one -> !byName.containsKey(one.node())).toList();
    NodeAnswers ofNodes = new NodeAnswers(answers, asked, unseen, others.isEmpty());
    JsonObject verdict = status.of(ofNodes, at);
    JsonObject pulse = new JsonObject()
        .put("at", at.toString())
        .put("span", span())
        .put("spanSeconds", Span.SECONDS)
        .put("since", since)
        .put("nodesAsked", asked)
        .put("redis", others.isEmpty() ? "away" : "answers")
        .put(STATUS, verdict)
        .put("nodes", new JsonArray(answers))
        .put("unseen", new JsonArray(unseen.stream().map(Pulse::last).toList()))
        .put(SPANS, spans);
    known.ended().ifPresent(last -> pulse.put("ended", last.toString()));
    return pulse;
  }

  // The figures are those of then; the findings of a node that has ended are nobody's.
  private static JsonObject last(SeenNode one) {
    JsonObject facts = one.facts().copy();
    facts.remove(ClusterStatus.FINDINGS);
    return facts.put("node", one.node()).put("seen", one.seen().toString());
  }
}
