package io.weir.core.policy;

import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Section;
import java.util.List;
import java.util.Optional;

/**
 * The settings of an extension, such as jobs or windows: fields of the policy, or fields of its operations. Found by
 * {@link java.util.ServiceLoader}, so that adding an extension changes nothing here. Stateless.
 *
 * @param <T> what is read; immutable
 */
public abstract class PolicySection<T> {
  private final Parent parent;
  private final PartKey<T> key;
  private final List<Field<?>> fields;

  /** The mapping that contains the fields. */
  public enum Parent {
    /** The document itself. */
    POLICY,
    /** Each operation. */
    OPERATION
  }

  /**
   * @param key by which users get what was read
   * @param fields their names are new at this place
   */
  protected PolicySection(Parent parent, PartKey<T> key, Field<?>... fields) {
    this.parent = parent;
    this.key = key;
    this.fields = List.of(fields);
  }

  public final Parent parent() {
    return parent;
  }

  public final PartKey<T> key() {
    return key;
  }

  public final List<Field<?>> fields() {
    return fields;
  }

  /**
   * Reads the fields, and reports what is wrong about them.
   *
   * @return empty if there is nothing to keep
   */
  public abstract Optional<T> read(Section section);

  /**
   * Reports what only the whole policy shows, such as names that nothing has. It is called once, after all extensions
   * were read; the policy has wrong fields as absent.
   *
   * @param root the document
   */
  public void check(Section root, Policy policy) {}
}
