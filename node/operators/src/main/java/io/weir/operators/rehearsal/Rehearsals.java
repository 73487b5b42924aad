package io.weir.operators.rehearsal;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.throttle.Failures;
import io.weir.node.admin.OperatorWork;
import io.weir.node.extension.NodeBase;
import io.weir.node.json.JsonInput;
import io.weir.operators.nodes.AllNodes;
import io.weir.operators.rehearsal.RedisCandidate.Stored;
import io.weir.operators.top.TopView;
import io.weir.state.policy.NodeQuestions.Answers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The rehearsals of all nodes: keeps this node's candidate up to date, and sums what all found. Safe for use by many threads. */
public final class Rehearsals {
  private static final Logger LOG = LoggerFactory.getLogger(Rehearsals.class);
  private static final String TOPIC = "rehearsal";
  private static final String AUDIT = "audit";
  private static final String CANDIDATE = "candidate";
  private static final Duration EVERY = Duration.ofSeconds(1);

  private final NodeRehearsals here;
  private final RedisCandidate stored;
  private final AllNodes nodes;
  private boolean isLooking; // owned by the loop of start

  /**
   * The rehearsals of a node, and through it of all.
   *
   * @param listener hears of what would be denied on this node
   */
  public Rehearsals(NodeBase node, AllNodes nodes, WouldDeny listener) {
    this.here = new NodeRehearsals(
        node.stores().store(), () -> node.policies().current().revision(), node.meters(), listener);
    this.stored = new RedisCandidate(node.connections().redis());
    this.nodes = nodes;
    nodes.answer(TOPIC, text -> here.accounts());
  }

  /** The rehearsals of this node. */
  public NodeRehearsals here() {
    return here;
  }

  /** The candidate in Redis. */
  public RedisCandidate stored() {
    return stored;
  }

  /** Looks for another candidate each second, as long as the instance of Vert.x lives. */
  public void start(Vertx vertx) {
    OperatorWork work = new OperatorWork(vertx);
    vertx.setPeriodic(EVERY.toMillis(), timer -> {
      if (!isLooking) {
        isLooking = true;
        look(work).onComplete(looked -> isLooking = false);
      }
    });
  }

  /**
   * Looks for another candidate, as a node does that has changed it: its operator sees that at once. Without Redis the one
   * that is known stays until it is seen that it is over.
   */
  public Future<Void> look(OperatorWork work) {
    String known = known();
    return work.of(stored.look(known))
        .compose(found -> found.filter(Stored::isKnown).isPresent()
            ? Future.<Void>succeededFuture()
            : work.run(() -> found.map(Stored::read))
                .onSuccess(other -> replace(known, other))
                .mapEmpty())
        .onFailure(error -> {
          if (Failures.cause(error) instanceof InvalidPolicyException) {
            LOG.warn("the candidate for the policy is not rehearsed: {}", error.getMessage());
          }
        })
        .otherwiseEmpty();
  }

  private String known() {
    return here.candidate().map(Candidate::id).orElse("");
  }

  // A look that began before another one found a change has nothing newer to say.
  private synchronized void replace(String known, Optional<Candidate> other) {
    if (known().equals(known)) {
      here.use(other);
    }
  }

  /**
   * The findings of all nodes; only those of this one if Redis is away.
   *
   * @param operator who asks
   */
  public Future<JsonObject> view(OperatorWork work, String operator) {
    return nodes
        .ask(work, operator, TOPIC, "")
        .map(AllNodes::orNone)
        .compose(answers -> answers.texts().isEmpty()
            ? here.accounts().map(own -> new Answers(1, List.of(own.encode())))
            : Future.succeededFuture(answers))
        .compose(answers -> work.run(() -> summed(answers)));
  }

  private JsonObject summed(Answers answers) {
    List<JsonObject> all = answers.texts().stream().map(JsonInput::object).toList();
    JsonObject view = new JsonObject()
        .put("nodesAsked", answers.asked())
        .put("nodesAnswered", all.size())
        .put(AUDIT, json(all.stream().map(one -> one.getJsonObject(AUDIT)).toList()));
    here.candidate().ifPresent(candidate -> {
      List<JsonObject> same = all.stream()
          .filter(one -> one.containsKey(CANDIDATE))
          .map(one -> one.getJsonObject(CANDIDATE))
          .filter(one -> candidate.id().equals(one.getString("id")))
          .toList();
      view.put(CANDIDATE, candidate.toJson().mergeIn(json(same)));
    });
    return view;
  }

  private static JsonObject json(List<JsonObject> accounts) {
    List<Account> parsed = new ArrayList<>(accounts.stream().map(Account::parse).toList());
    Account sum = parsed.isEmpty() ? Account.NONE : Account.sum(parsed);
    return new JsonObject()
        .put("outcomes", sum.outcomes().toJson())
        .put("wouldDeny", TopView.json(sum.denied()));
  }
}
