package io.weir.core.policy.read;

import io.weir.core.policy.PartKey;
import io.weir.core.policy.Parts;
import io.weir.core.policy.Policy;
import io.weir.core.policy.PolicySection;
import io.weir.core.policy.PolicySection.Parent;
import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Section;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.stream.Stream;

/** The extensions on the class path, in the order of their names. Immutable. */
final class Extensions {
  private static final Extensions ALL = new Extensions(found());

  private final List<PolicySection<?>> all;

  /** @throws IllegalStateException if two extensions have the same name */
  Extensions(List<PolicySection<?>> extensions) {
    all = extensions.stream()
        .sorted(
            Comparator.comparing((PolicySection<?> extension) -> extension.key().name()))
        .toList();
    Set<String> names = new HashSet<>();
    for (PolicySection<?> extension : all) {
      if (!names.add(extension.key().name())) {
        throw new IllegalStateException(
            "two extensions with the name: " + extension.key().name());
      }
    }
  }

  static Extensions all() {
    return ALL;
  }

  /** The fields of all extensions of one parent. */
  List<Field<?>> fields(Parent parent) {
    return at(parent)
        .<Field<?>>flatMap(extension -> extension.fields().stream())
        .toList();
  }

  /** Reads the settings of all extensions of one parent. */
  Parts read(Parent parent, Section section) {
    Map<PartKey<?>, Object> values = new HashMap<>();
    at(parent)
        .forEach(extension ->
            extension.read(section).ifPresent(value -> values.put(extension.key(), value)));
    return new Parts(values);
  }

  void check(Section root, Policy policy) {
    all.forEach(extension -> extension.check(root, policy));
  }

  private Stream<PolicySection<?>> at(Parent parent) {
    return all.stream().filter(extension -> extension.parent() == parent);
  }

  private static List<PolicySection<?>> found() {
    return ServiceLoader.load(PolicySection.class, PolicySection.class.getClassLoader()).stream()
        .<PolicySection<?>>map(ServiceLoader.Provider::get)
        .toList();
  }
}
