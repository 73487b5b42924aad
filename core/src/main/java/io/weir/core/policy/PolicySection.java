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
public interface PolicySection<T> {

  /** The mapping that contains the fields. */
  enum Parent {
    /** The document itself. */
    POLICY,
    /** Each operation. */
    OPERATION
  }

  /** The mapping that contains the fields. */
  Parent parent();

  /** By which users get what was read. */
  PartKey<T> key();

  /** The fields; their names are new at this place. */
  List<Field<?>> fields();

  /**
   * Reads the fields, and reports what is wrong about them.
   *
   * @return empty if there is nothing to keep
   */
  Optional<T> read(Section section);

  /**
   * Reports what only the whole policy shows, such as names that nothing has. It is called once, after all extensions
   * were read; the policy has wrong fields as absent.
   *
   * @param root the document
   */
  default void check(Section root, Policy policy) {}
}
