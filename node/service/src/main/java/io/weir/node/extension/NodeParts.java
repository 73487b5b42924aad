package io.weir.node.extension;

import io.vertx.core.Vertx;
import io.weir.node.admin.Operators;
import io.weir.node.admission.Admission;
import io.weir.node.auth.Identities;
import io.weir.node.config.NodeConfig;
import io.weir.node.gateway.NodeBulkheads;
import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.UnpaidWork;
import io.weir.node.upstream.UpstreamSlots;
import io.weir.state.connection.RedisConnections;
import io.weir.state.hold.Holds;
import io.weir.state.policy.ClusterPolicy;

/**
 * The parts of a node that the doors and workers of extensions use.
 *
 * @param operators admits operators to their doors
 * @param slots gives turns at destinations with names, to a worker of an extension, too
 */
public record NodeParts(
    NodeBase base,
    Identities identities,
    Admission admission,
    Operators operators,
    NodeBulkheads bulkheads,
    UpstreamSlots slots) {

  public Vertx vertx() {
    return base.vertx();
  }

  public NodeConfig config() {
    return base.config();
  }

  /** The connections for decisions. */
  public RedisConnections redis() {
    return base.connections().redis();
  }

  public ClusterPolicy policies() {
    return base.policies();
  }

  /** The holds of the requests of this node. */
  public Holds holds() {
    return base.stores().holds();
  }

  /** Bytes of bodies that are being read. */
  public Bulkhead memory() {
    return bulkheads.memory();
  }

  /** Bytes of bodies that are read and that no limit pays for. */
  public UnpaidWork unpaid() {
    return bulkheads.unpaid();
  }
}
