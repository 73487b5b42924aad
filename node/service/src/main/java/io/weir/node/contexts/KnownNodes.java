package io.weir.node.contexts;

import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** The admin port that commands ask unless an option names another. Immutable. */
public final class KnownNodes {
  private static final String DEFAULT = "http://127.0.0.1:9080";

  private final Map<String, String> environment;
  private final Supplier<Optional<LocalNode>> local;

  /** @param local a node of the cluster that runs on this machine */
  public KnownNodes(Map<String, String> environment, Supplier<Optional<LocalNode>> local) {
    this.environment = Map.copyOf(environment);
    this.local = local;
  }

  public Contexts contexts() {
    return Contexts.of(environment);
  }

  /**
   * The node to ask: that of the context, of {@code WEIR_NODE}, of {@code WEIR_CONTEXT}, of the context in use, of the
   * local cluster, or the usual one.
   *
   * @throws IllegalArgumentException if there is no such context
   */
  public AdminAddress address(Optional<String> context) {
    Contexts contexts = contexts();
    return context
        .map(name -> named(contexts, name))
        .or(() -> given("WEIR_NODE").map(AdminAddress::of))
        .or(() -> given("WEIR_CONTEXT").or(contexts::current).map(name -> named(contexts, name)))
        .or(() -> local.get().map(LocalNode::admin).map(AdminAddress::of))
        .orElseGet(() -> AdminAddress.of(DEFAULT));
  }

  /** The admin token for this address: that of the environment, else that of the local cluster if it is its port. */
  public Optional<String> adminToken(AdminAddress address) {
    return given("WEIR_ADMIN_TOKEN")
        .or(() -> local
            .get()
            .filter(node -> node.admin().equals(address.node()))
            .map(LocalNode::adminToken));
  }

  private Optional<String> given(String variable) {
    return Optional.ofNullable(environment.get(variable)).filter(text -> !text.isBlank());
  }

  private static AdminAddress named(Contexts contexts, String name) {
    return contexts
        .find(name)
        .orElseThrow(() -> new IllegalArgumentException(
            "no context '%s' in %s: see weir context list".formatted(name, contexts.file())));
  }
}
