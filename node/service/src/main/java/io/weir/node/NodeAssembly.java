package io.weir.node;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.weir.core.policy.FailureMode;
import io.weir.core.policy.Policy;
import io.weir.core.throttle.JointThrottle;
import io.weir.core.throttle.Throttle;
import io.weir.node.admin.Operators;
import io.weir.node.admin.Readiness;
import io.weir.node.admin.Stranding;
import io.weir.node.admin.WatchedFile;
import io.weir.node.admission.Admission;
import io.weir.node.admission.Debts;
import io.weir.node.admission.Decider;
import io.weir.node.admission.Witness;
import io.weir.node.auth.Directory;
import io.weir.node.auth.Identities;
import io.weir.node.auth.KeyIdentifier;
import io.weir.node.auth.KeyLookup;
import io.weir.node.auth.RedisSessions;
import io.weir.node.auth.ServiceGuard;
import io.weir.node.auth.Sessions;
import io.weir.node.auth.TokenGuard;
import io.weir.node.extension.Capabilities;
import io.weir.node.extension.Insight;
import io.weir.node.extension.Keys;
import io.weir.node.extension.NamedUpstreams;
import io.weir.node.extension.NodeBase;
import io.weir.node.extension.NodeParts;
import io.weir.node.extension.OpenExtension;
import io.weir.node.gateway.NodeBulkheads;
import io.weir.node.loop.LoopTime;
import io.weir.node.metrics.NodeMetrics;
import io.weir.node.trace.Tracing;
import io.weir.node.upstream.UpstreamSlots;
import io.weir.state.audit.RedisAudit;
import io.weir.state.hold.Holds;
import io.weir.state.hold.RedisHolds;
import io.weir.state.policy.ClusterPolicy;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Makes the parts of a node from the bottom up: each is complete when it is made. For one node; owned by the code that
 * starts it.
 */
final class NodeAssembly {
  private final Vertx vertx;
  private final SharedState shared;
  private final ClusterPolicy policies;
  private final NodeMetrics metrics;
  private final Tracing tracing;
  private final TokenGuard admins;

  NodeAssembly(Vertx vertx, SharedState shared, NodeMetrics metrics, Tracing tracing) {
    this.vertx = vertx;
    this.shared = shared;
    this.policies = shared.policies();
    this.metrics = metrics;
    this.tracing = tracing;
    this.admins = new TokenGuard(shared.config().tokens().admin());
  }

  /**
   * The parts of the node, with its extensions opened.
   *
   * @param openApi the description of all doors
   */
  NodeContext assemble(Capabilities capabilities, String openApi) {
    RedisHolds holds = new RedisHolds(shared.connections());
    NodeBase base = base(holds);
    Optional<Keys.Open> keys = capabilities.keys().map(each -> each.open(base));
    Optional<Insight.Open> insight = capabilities.insight().map(each -> each.open(base));
    Optional<NamedUpstreams.Open> upstreams = capabilities.upstreams().map(each -> each.open(base));
    Stream<OpenExtension> others = capabilities.others().stream().map(each -> each.open(base));
    List<OpenExtension> opened = Stream.of(
            keys.stream(), insight.stream(), upstreams.stream(), others)
        .<OpenExtension>flatMap(Function.identity())
        .toList();
    Decider decider = decider(insight.map(Insight.Open::witness).orElse(Witness.NONE));
    NodeParts parts = parts(
        base,
        identities(keys),
        decider,
        upstreams.map(NamedUpstreams.Open::slots).orElse(UpstreamSlots.NONE));
    Stranding stranding = keys.map(Keys.Open::stranding).orElse(Stranding.NONE);
    Optional<PolicyFileWatch> watch =
        PolicyFileWatch.of(shared.config(), vertx, policies, stranding);
    return new NodeContext(
        parts,
        decider,
        new NodeContext.ServiceParts(services(parts.identities()), holds),
        new NodeContext.AdminParts(
            new RedisAudit(shared.connections()),
            readiness(NodeContext.policyFile(watch)),
            watch,
            stranding,
            openApi),
        metrics,
        opened);
  }

  private NodeBase base(RedisHolds store) {
    Holds holds = new Holds(new LoopTime(vertx), store, metrics, policies::liveNodes);
    metrics.holds(holds::size);
    return new NodeBase(
        vertx,
        shared.config(),
        new NodeBase.Connections(shared.connections(), shared::connect),
        policies,
        new NodeBase.Stores(shared.redis(), holds),
        metrics.registry());
  }

  private Decider decider(Witness witness) {
    return new Decider(
        new Throttle(shared.store(), policies),
        new JointThrottle(shared.joint(), policies),
        metrics,
        tracing,
        witness);
  }

  private NodeParts parts(
      NodeBase base, Identities identities, Decider decider, UpstreamSlots slots) {
    Admission admission = new Admission(
        policies, identities, decider, new Debts(vertx, decider), base.stores().holds());
    NodeBulkheads bulkheads = NodeBulkheads.ofHeap(Runtime.getRuntime().maxMemory());
    metrics.held(bulkheads.held()::taken);
    metrics.assignmentStreams(bulkheads.streams()::taken);
    return new NodeParts(base, identities, admission, operators(identities), bulkheads, slots);
  }

  private Operators operators(Identities identities) {
    RedisSessions stored = new RedisSessions(shared.connections());
    return new Operators(
        admins, identities, new Sessions(vertx, stored, identities::address, System::nanoTime));
  }

  private Identities identities(Optional<Keys.Open> keys) {
    KeyLookup lookup =
        new KeyLookup(policies, keys.map(Keys.Open::directory).orElse(Directory.EMPTY));
    return new Identities(
        lookup, keys.map(Keys.Open::identifier).orElseGet(() -> new KeyIdentifier(lookup)));
  }

  private ServiceGuard services(Identities identities) {
    return new ServiceGuard(new TokenGuard(shared.config().tokens().service()), admins, identities);
  }

  private Readiness readiness(WatchedFile policyFile) {
    return new Readiness(
        () -> Future.fromCompletionStage(shared.connections().probe(), vertx.getOrCreateContext()),
        () -> servesInOutage(policies.current().policy()),
        () -> shared.connections().functions().inWords(),
        () -> policyFile.beside(policies.text()));
  }

  private static boolean servesInOutage(Policy policy) {
    return policy.plans().values().stream()
        .anyMatch(plan -> plan.failureMode() != FailureMode.DENY);
  }
}
