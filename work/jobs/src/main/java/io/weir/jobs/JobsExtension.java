package io.weir.jobs;

import io.vertx.core.Future;
import io.weir.jobs.door.JobBudget;
import io.weir.jobs.door.JobDoor;
import io.weir.jobs.door.JobIntake;
import io.weir.jobs.door.JobQueueDoor;
import io.weir.jobs.door.JobResource;
import io.weir.jobs.door.JobResults;
import io.weir.jobs.door.JobsCommand;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.store.JobDrift;
import io.weir.jobs.store.JobKeys;
import io.weir.jobs.store.RedisJobs;
import io.weir.jobs.work.JobMeters;
import io.weir.jobs.work.JobParts;
import io.weir.jobs.work.JobTokens;
import io.weir.jobs.work.JobWorker;
import io.weir.jobs.work.ResultMemory;
import io.weir.node.command.RowCommand;
import io.weir.node.contexts.KnownNodes;
import io.weir.node.extension.Extension;
import io.weir.node.extension.Inspection;
import io.weir.node.extension.LoopExtension;
import io.weir.node.extension.LoopParts;
import io.weir.node.extension.NodeBase;
import io.weir.node.extension.NodeParts;
import io.weir.node.extension.OpenExtension;
import io.weir.node.intake.Bulkhead;
import io.weir.state.audit.DriftCheck;
import io.weir.state.inspect.StateInspector;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Jobs: requests that are accepted now, and done later by any node. */
public final class JobsExtension implements Extension {
  /** A long result takes longer to transfer than a decision. */
  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  @Override
  public String name() {
    return "jobs";
  }

  @Override
  public OpenExtension open(NodeBase node) {
    return new Opened(
        new RedisJobs(node.connections().otherRedis().apply(TIMEOUT)),
        new JobTokens(node.config().tokens().service()),
        new JobMeters(node.meters()),
        ResultMemory.ofHeap(Runtime.getRuntime().maxMemory()),
        ConcurrentHashMap.newKeySet(),
        new Bulkhead(250, 500, 1000));
  }

  @Override
  public List<Object> commands(KnownNodes nodes) {
    return List.of(RowCommand.of(JobsCommand.row(), nodes));
  }

  @Override
  public List<Inspection> inspections() {
    return List.of(new Inspection(
        "jobs",
        "the jobs of an operation, by what they wait for",
        JobsExtension::show,
        (fields, now) -> inWords(fields),
        JobRule::operations,
        new Inspection.Sentences(
            "No job of %s is under way.", "the policy has no operation %s with jobs")));
  }

  @Override
  public List<DriftCheck> driftChecks() {
    return List.of(JobDrift.CHECK);
  }

  private static Map<String, String> show(StateInspector inspector, String operation) {
    Map<String, String> fields = new LinkedHashMap<>();
    JobKeys.stages(operation)
        .forEach((stage, key) -> inspector.putCount(fields, stage, key, "jobs"));
    return fields;
  }

  // The words of weir work.
  private static Map<String, String> inWords(Map<String, String> fields) {
    Map<String, String> words = new LinkedHashMap<>();
    fields.forEach(
        (stage, jobs) -> words.put(stage.equals("dispatch") ? "to be sent" : stage, jobs));
    return words;
  }

  /**
   * The extension of one node.
   *
   * @param accepted the operations with new jobs, until the worker looks
   * @param waiting requests that may wait for their jobs
   */
  private record Opened(
      RedisJobs store,
      JobTokens tokens,
      JobMeters meters,
      ResultMemory memory,
      Set<String> accepted,
      Bulkhead waiting)
      implements OpenExtension {
    private JobParts with(NodeParts node) {
      return new JobParts(node, store, tokens, meters, memory);
    }

    @Override
    public LoopExtension onLoop(LoopParts loop) {
      NodeParts node = loop.node();
      JobParts parts = with(node);
      JobBudget budget = new JobBudget();
      JobResults results = new JobResults(loop.vertx(), store, memory);
      return LoopExtension.of(new JobDoor(loop.vertx(), parts, waiting, budget, results))
          .withOperatorsDoors(
              new JobResource(node.policies(), node.operators()),
              new JobQueueDoor(loop.vertx(), parts))
          .with(new JobIntake(loop.vertx(), parts, accepted::add, budget, results));
    }

    @Override
    public Future<?> start(NodeParts node) {
      return node.vertx().deployVerticle(new JobWorker(with(node), accepted));
    }
  }
}
