package io.weir.operators;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.weir.core.decision.Decision;
import io.weir.node.admission.Witness;
import io.weir.node.contexts.KnownNodes;
import io.weir.node.extension.Capabilities;
import io.weir.node.extension.Insight;
import io.weir.node.extension.LoopExtension;
import io.weir.node.extension.LoopParts;
import io.weir.node.extension.NodeBase;
import io.weir.node.extension.NodeParts;
import io.weir.node.intake.Door;
import io.weir.operators.cases.CaseSearch;
import io.weir.operators.command.InsightCommands;
import io.weir.operators.denial.Denial;
import io.weir.operators.denial.DenialLog;
import io.weir.operators.denial.DenialSearch;
import io.weir.operators.door.CasesDoor;
import io.weir.operators.door.DenialsDoor;
import io.weir.operators.door.DriftDoor;
import io.weir.operators.door.ExplainDoor;
import io.weir.operators.door.LiveDoor;
import io.weir.operators.door.RehearsalDoor;
import io.weir.operators.door.ResetDoor;
import io.weir.operators.door.StatesDoor;
import io.weir.operators.door.TopDoor;
import io.weir.operators.door.WarningsDoor;
import io.weir.operators.explain.Explainer;
import io.weir.operators.live.Beat;
import io.weir.operators.nodes.AllNodes;
import io.weir.operators.rehearsal.NodeRehearsals;
import io.weir.operators.rehearsal.Rehearsals;
import io.weir.operators.replay.ReplayDoor;
import io.weir.operators.status.AwayWords;
import io.weir.operators.status.Symptom;
import io.weir.operators.status.Symptoms;
import io.weir.operators.top.RedisTop;
import io.weir.operators.top.TopView;
import io.weir.operators.warning.AllReceivers;
import io.weir.operators.warning.NodeWarnings;
import io.weir.state.connection.RedisConnections;
import io.weir.state.inspect.StateInspector;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The views of the operators of a cluster: limited callers, the reasons, and the effects of other limits. */
public final class InsightExtension implements Insight {
  private static final Logger LOG = LoggerFactory.getLogger(InsightExtension.class);
  private static final Duration LONGEST = Duration.ofSeconds(5);
  private static final long TELL_EVERY_MILLIS = 2000;

  @Override
  public String name() {
    return "insight";
  }

  @Override
  public Insight.Open open(NodeBase node) {
    RedisTime time = new RedisTime(System::nanoTime);
    String name = node.policies().questions().node();
    Consumer<Denial> log = node.config()
        .reports()
        .denialLog()
        .map(file -> DenialLog.open(file, name, time::at))
        .<Consumer<Denial>>map(opened -> opened::add)
        .orElse(denial -> {});
    NodeMemory memory = new NodeMemory(System::nanoTime, log);
    AllNodes nodes = new AllNodes(node.policies().questions());
    DenialSearch search = new DenialSearch(
        nodes, node.config().listening().callers().toString(), memory::find, time::at);
    CaseSearch cases = new CaseSearch(nodes, asked -> memory.find(asked, time::at), time::now);
    RedisTop top = new RedisTop(node.connections().redis());
    NodeWarnings warnings = new NodeWarnings(node, time::now);
    List<Symptom> symptoms =
        Symptoms.all(warnings::failing, warnings::unknown, AwayWords.of(node.policies()));
    return new Opened(
        node,
        new Memories(memory, search, cases),
        new SharedCounts(time, top, node.connections().otherRedis().apply(LONGEST)),
        new Beat(node, nodes, new TopView(top), cases, symptoms, time::now),
        new Rehearsals(node, nodes, memory),
        new Warned(warnings, new AllReceivers(nodes, warnings)));
  }

  @Override
  public List<Object> commands(KnownNodes nodes) {
    return InsightCommands.all(nodes);
  }

  /** Remembers the answered decisions, rehearses them, and warns. */
  private record All(NodeMemory memory, NodeRehearsals rehearsals, NodeWarnings warnings)
      implements Witness {
    @Override
    public Decision answered(Question question, Decision decision) {
      Decision answered = memory.answered(question, decision);
      rehearsals.answered(question, decision);
      warnings.answered(question, decision);
      return answered;
    }

    @Override
    public void undecided(Question question, Throwable error) {
      memory.undecided(question, error);
    }
  }

  /** The memory of this node, and the searches in the memories of all nodes. */
  private record Memories(NodeMemory here, DenialSearch denials, CaseSearch cases) {}

  /**
   * The counts and the clock of the cluster, in Redis.
   *
   * @param slow the connections for calls that take longer than decisions
   */
  private record SharedCounts(RedisTime time, RedisTop top, RedisConnections slow) {}

  /** The warnings of this node, and the receivers of all nodes. */
  private record Warned(NodeWarnings here, AllReceivers receivers) {}

  private record Opened(
      NodeBase node,
      Memories memories,
      SharedCounts shared,
      Beat beat,
      Rehearsals rehearsals,
      Warned warnings)
      implements Insight.Open {
    @Override
    public Witness witness() {
      return new All(memories.here(), rehearsals.here(), warnings.here());
    }

    @Override
    public LoopExtension onLoop(LoopParts loop) {
      NodeParts parts = loop.node();
      // The hooks of the whole instance of Vert.x run when the connections to Redis are closed.
      ((ContextInternal) loop.vertx().getOrCreateContext())
          .addCloseHook(done -> beat.end().onComplete(done));
      memories.here().begin(loop.vertx().getOrCreateContext());
      rehearsals.here().begin(loop.vertx().getOrCreateContext());
      warnings.here().begin(loop.vertx().getOrCreateContext());
      StateInspector inspector = new StateInspector(shared.slow());
      Capabilities capabilities = Capabilities.onClassPath();
      List<Door> doors = List.of(
          new TopDoor(loop.vertx(), parts.operators(), new TopView(shared.top())),
          new LiveDoor(loop.vertx(), parts.operators(), beat.pulse(), beat.feed()),
          new CasesDoor(loop.vertx(), parts.operators(), memories.cases()),
          new DenialsDoor(loop.vertx(), parts.operators(), memories.denials()),
          new ExplainDoor(
              parts.operators(),
              parts.identities(),
              new Explainer(
                  loop.vertx(),
                  parts,
                  inspector,
                  memories.denials(),
                  rehearsals.here(),
                  shared.time()::now)),
          new StatesDoor(loop.vertx(), parts, inspector, capabilities.inspections(), beat.work()),
          new RehearsalDoor(loop.vertx(), parts, rehearsals),
          new WarningsDoor(loop.vertx(), parts, warnings.here(), warnings.receivers()),
          new ReplayDoor(loop.vertx(), parts),
          new ResetDoor(loop.vertx(), parts),
          new DriftDoor(loop.vertx(), parts, shared.slow(), capabilities.driftChecks()));
      return LoopExtension.ofOperators(doors);
    }

    @Override
    public Future<?> start(NodeParts parts) {
      Vertx vertx = parts.vertx();
      beat.start(vertx);
      rehearsals.start(vertx);
      ((VertxInternal) vertx).addCloseHook(done -> {
        warnings.here().close();
        done.succeed();
      });
      vertx.setPeriodic(TELL_EVERY_MILLIS, timer -> {
        var unused = publish();
      });
      return publish();
    }

    // Without Redis nothing is told; the counts are kept here.
    private Future<Void> publish() {
      return memories
          .here()
          .counts(TopView.MOST)
          .compose(counts -> Future.fromCompletionStage(
              shared.top().put(node.policies().questions().node(), counts)))
          .onSuccess(shared.time()::learn)
          .onFailure(error -> LOG.debug("the counts were not sent: {}", error.getMessage()))
          .otherwise(0L)
          .mapEmpty();
    }
  }
}
