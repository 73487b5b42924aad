package io.weir.node.extension;

import io.weir.core.policy.Policy;
import io.weir.core.policy.Subject;
import io.weir.state.audit.DriftCheck;
import io.weir.state.connection.RedisConnections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/**
 * The capabilities of a node beside limiting. Immutable.
 *
 * @param others the extensions that no part of the node depends on
 */
public record Capabilities(
    Optional<Keys> keys,
    Optional<Insight> insight,
    Optional<NamedUpstreams> upstreams,
    Traces traces,
    List<Extension> others) {
  public Capabilities {
    others = List.copyOf(others);
  }

  /**
   * The capabilities on the class path.
   *
   * @throws IllegalStateException if a node can have only one of what is there twice
   */
  public static Capabilities onClassPath() {
    return new Capabilities(
        one(Keys.class),
        one(Insight.class),
        one(NamedUpstreams.class),
        one(Traces.class).orElse(Traces.NONE),
        found(Extension.class));
  }

  private static <T> Optional<T> one(Class<T> kind) {
    List<T> found = found(kind);
    if (found.size() > 1) {
      throw new IllegalStateException(
          "%s: %d on the class path (expected: at most 1)".formatted(kind.getName(), found.size()));
    }
    return found.stream().findFirst();
  }

  private static <T> List<T> found(Class<T> kind) {
    return ServiceLoader.load(kind).stream().map(ServiceLoader.Provider::get).toList();
  }

  /** All extensions, by name. */
  public List<Extension> extensions() {
    Stream<Extension> known = Stream.<Optional<? extends Extension>>of(keys, insight, upstreams)
        .flatMap(Optional::stream);
    return Stream.concat(known, others.stream())
        .sorted(Comparator.comparing(Extension::name))
        .toList();
  }

  /** The states that {@code weir inspect} shows. */
  public List<Inspection> inspections() {
    return extensions().stream()
        .flatMap(extension -> extension.inspections().stream())
        .toList();
  }

  /** The checks of numbers that are kept beside what they count. */
  public List<DriftCheck> driftChecks() {
    return extensions().stream()
        .flatMap(extension -> extension.driftChecks().stream())
        .toList();
  }

  /** The subject with this id, if it is one outside of the policy, see {@link Keys#subject}. */
  public Optional<Subject> subject(RedisConnections redis, Policy policy, String id) {
    return keys.flatMap(known -> known.subject(redis, policy, id));
  }
}
