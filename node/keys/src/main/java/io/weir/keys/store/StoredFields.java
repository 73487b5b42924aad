package io.weir.keys.store;

import java.util.Map;
import java.util.Optional;

/**
 * The stored record under a name, whatever its kind.
 *
 * @param name as of {@link ListedChange}
 * @param version 0 if there is nothing, and it is not known since when
 * @param fields by name, with the version; empty if there is nothing
 */
public record StoredFields(String name, long version, Map<String, String> fields) {
  public StoredFields {
    fields = Map.copyOf(fields);
  }

  static StoredFields of(String name, Map<String, String> fields) {
    return new StoredFields(name, Long.parseLong(fields.getOrDefault("version", "0")), fields);
  }

  /** A record that was removed by a change with this version. */
  public static StoredFields removed(String name, long version) {
    return new StoredFields(name, version, Map.of());
  }

  /** Whether there is nothing. */
  public boolean isRemoved() {
    return fields.isEmpty();
  }

  /** The value of a field, if it is there. */
  public Optional<String> field(String name) {
    return Optional.ofNullable(fields.get(name));
  }

  /** The part of the name behind the colon. */
  public String id() {
    return ListedNames.id(name);
  }

  /** About how much memory it takes. */
  public int characters() {
    return name.length()
        + fields.entrySet().stream()
            .mapToInt(field -> field.getKey().length() + field.getValue().length())
            .sum();
  }
}
