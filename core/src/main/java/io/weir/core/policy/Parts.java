package io.weir.core.policy;

import java.util.Map;
import java.util.Optional;

/** The settings of all extensions at one place of a policy. Immutable. */
public final class Parts {
  /** No extension has any. */
  public static final Parts NONE = new Parts(Map.of());

  private final Map<PartKey<?>, Object> values;

  /** The settings by the keys of their extensions; each value has the type of its key. */
  public Parts(Map<PartKey<?>, Object> values) {
    this.values = Map.copyOf(values);
  }

  /** The settings of one extension, if it has any. */
  public <T> Optional<T> get(PartKey<T> key) {
    return Optional.ofNullable(values.get(key)).map(key.type()::cast);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Parts parts && parts.values.equals(values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  @Override
  public String toString() {
    return values.toString();
  }
}
