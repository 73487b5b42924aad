package io.weir.node.extension;

import io.weir.core.policy.Policy;
import io.weir.core.policy.Subject;
import io.weir.node.config.NodeConfig;
import io.weir.node.trace.Tracing;
import io.weir.state.connection.RedisConnections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.Supplier;

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
   * @param localRedis the shared state of a cluster that runs on this machine
   * @param localAdmin the admin port of a node of that cluster
   */
  default List<Object> commands(
      Supplier<Optional<String>> localRedis, Supplier<Optional<String>> localAdmin) {
    return List.of();
  }

  /**
   * Records how requests go, if the configuration wants it; at most one extension does. Called before {@link #open}.
   */
  default Optional<Tracing> tracing(NodeConfig config) {
    return Optional.empty();
  }

  /** The states of the extension that {@code weir inspect} shows. */
  default List<Inspection> inspections() {
    return List.of();
  }

  /** The subject with this id, if the extension has it in the shared state: for commands, which look once. */
  default Optional<Subject> subject(RedisConnections redis, Policy policy, String id) {
    return Optional.empty();
  }

  /** The states of extensions that {@code weir inspect} shows. */
  static List<Inspection> inspections(List<Extension> extensions) {
    return extensions.stream()
        .flatMap(extension -> extension.inspections().stream())
        .toList();
  }

  /** All extensions on the class path, by name. */
  static List<Extension> all() {
    return ServiceLoader.load(Extension.class).stream()
        .map(ServiceLoader.Provider::get)
        .sorted(Comparator.comparing(Extension::name))
        .toList();
  }
}
