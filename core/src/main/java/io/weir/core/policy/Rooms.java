package io.weir.core.policy;

import io.weir.core.policy.PolicySection.Place;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.stream.Stream;

/** The rooms on the class path, in the order of their names. Immutable. */
final class Rooms {
  private static final Rooms ALL = new Rooms(found());

  private final List<PolicySection<?>> all;

  /** @throws IllegalStateException if two rooms have the same name */
  Rooms(List<PolicySection<?>> rooms) {
    all = rooms.stream()
        .sorted(Comparator.comparing((PolicySection<?> room) -> room.key().name()))
        .toList();
    Set<String> names = new HashSet<>();
    for (PolicySection<?> room : all) {
      if (!names.add(room.key().name())) {
        throw new IllegalStateException("two rooms with the name: " + room.key().name());
      }
    }
  }

  static Rooms all() {
    return ALL;
  }

  /** The fields of all rooms at one place. */
  List<Field<?>> fields(Place place) {
    return at(place).<Field<?>>flatMap(room -> room.fields().stream()).toList();
  }

  /** Reads the settings of all rooms at one place. */
  Parts read(Place place, Section section) {
    Map<PartKey<?>, Object> values = new HashMap<>();
    at(place).forEach(room -> room.read(section).ifPresent(value -> values.put(room.key(), value)));
    return new Parts(values);
  }

  void check(Section root, Policy policy) {
    all.forEach(room -> room.check(root, policy));
  }

  private Stream<PolicySection<?>> at(Place place) {
    return all.stream().filter(room -> room.place() == place);
  }

  private static List<PolicySection<?>> found() {
    return ServiceLoader.load(PolicySection.class, PolicySection.class.getClassLoader()).stream()
        .<PolicySection<?>>map(ServiceLoader.Provider::get)
        .toList();
  }
}
