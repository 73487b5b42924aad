package io.weir.node.extension;

import io.weir.node.contexts.KnownNodes;
import io.weir.state.audit.DriftCheck;
import java.util.List;
import java.util.ServiceLoader;

/**
 * A capability beside the limiter, such as jobs: one folder with its settings, store, scripts, doors, workers, metrics
 * and tests. A node opens every extension on its class path, which {@link ServiceLoader} finds. The extension's part of
 * a policy is a {@link io.weir.core.policy.PolicySection}.
 */
public interface Extension {
  /** Its name, unique among extensions. */
  String name();

  /** Opens the extension for a node that does not serve yet. Called once for each node. */
  OpenExtension open(NodeBase node);

  /**
   * Its commands of {@code weir}, as picocli objects.
   *
   * @param nodes the admin port that they ask
   */
  default List<Object> commands(KnownNodes nodes) {
    return List.of();
  }

  /** The states of the extension that {@code weir inspect} shows. */
  default List<Inspection> inspections() {
    return List.of();
  }

  /** The numbers of the extension in the shared state that are kept beside what they count. */
  default List<DriftCheck> driftChecks() {
    return List.of();
  }
}
