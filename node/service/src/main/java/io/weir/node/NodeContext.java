package io.weir.node;

import io.weir.node.admin.Operators;
import io.weir.node.admin.Readiness;
import io.weir.node.admin.Stranding;
import io.weir.node.admin.WatchedFile;
import io.weir.node.admission.Admission;
import io.weir.node.admission.Decider;
import io.weir.node.auth.Identities;
import io.weir.node.auth.ServiceGuard;
import io.weir.node.config.NodeConfig;
import io.weir.node.extension.OpenExtension;
import io.weir.node.gateway.NodeBulkheads;
import io.weir.node.metrics.NodeMetrics;
import io.weir.state.audit.RedisAudit;
import io.weir.state.hold.RedisHolds;
import io.weir.state.policy.ClusterPolicy;
import java.util.List;

/**
 * The parts of a node that all its event loops share.
 *
 * @param store for reservations of services
 * @param audit the last changes by operators
 * @param services guards the doors for services
 * @param policyFile that the node follows
 * @param openApi the description of all doors
 */
record NodeContext(
    NodeConfig config,
    ClusterPolicy policies,
    Identities identities,
    Decider decider,
    Admission admission,
    RedisHolds store,
    RedisAudit audit,
    ServiceGuard services,
    Operators operators,
    Readiness readiness,
    WatchedFile policyFile,
    NodeBulkheads bulkheads,
    NodeMetrics metrics,
    String openApi,
    List<OpenExtension> extensions) {

  /** How stranded subjects are found: by the extension that has subjects outside of the policy. */
  static Stranding stranding(List<OpenExtension> extensions) {
    return extensions.stream()
        .flatMap(extension -> extension.stranding().stream())
        .findFirst()
        .orElse(Stranding.NONE);
  }
}
