package io.weir.core.policy.schema;

import java.util.Map;
import java.util.Optional;

/** The form of a field's value. Immutable. */
interface FieldType<T> {

  /** Reads a value; a wrong one is reported and reads as absent. */
  Optional<T> read(DocumentValue value, At at);

  /** Whether a required field may be empty, though it may not be absent. */
  default boolean mayBeEmpty() {
    return false;
  }

  /** The name of what is missing, for the error. */
  String expected();

  /** The accepted values, for the reference; may be empty. */
  default String bounds() {
    return "";
  }

  /** A value as a document has it: a text, a number, or true or false. */
  default Object written(T value) {
    return value;
  }

  /** Its JSON Schema. */
  Map<String, Object> schema(JsonSchema.Definitions definitions);
}
