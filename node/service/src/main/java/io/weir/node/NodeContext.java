package io.weir.node;

import io.weir.node.admin.Readiness;
import io.weir.node.admin.Stranding;
import io.weir.node.admin.WatchedFile;
import io.weir.node.admission.Decider;
import io.weir.node.auth.ServiceGuard;
import io.weir.node.extension.NodeParts;
import io.weir.node.extension.OpenExtension;
import io.weir.node.metrics.NodeMetrics;
import io.weir.state.audit.RedisAudit;
import io.weir.state.hold.RedisHolds;
import java.util.List;
import java.util.Optional;

/**
 * The parts of a node that all its event loops share.
 *
 * @param parts those that extensions use, too
 */
record NodeContext(
    NodeParts parts,
    Decider decider,
    ServiceParts serviceParts,
    AdminParts adminParts,
    NodeMetrics metrics,
    List<OpenExtension> extensions) {

  /**
   * The parts of the doors for services.
   *
   * @param guard lets services in
   * @param holds for their reservations
   */
  record ServiceParts(ServiceGuard guard, RedisHolds holds) {}

  /**
   * The parts of the doors for operators.
   *
   * @param audit the last changes by operators
   * @param watch of the policy file, if the node follows it
   * @param stranding finds subjects outside of the policy that a change of it would strand
   * @param openApi the description of all doors
   */
  record AdminParts(
      RedisAudit audit,
      Readiness readiness,
      Optional<PolicyFileWatch> watch,
      Stranding stranding,
      String openApi) {}

  /** The policy file that the node follows. */
  WatchedFile policyFile() {
    return policyFile(adminParts.watch());
  }

  /** The policy file of a watch. */
  static WatchedFile policyFile(Optional<PolicyFileWatch> watch) {
    return watch.<WatchedFile>map(it -> it).orElse(WatchedFile.NONE);
  }
}
