package io.weir.batch;

import io.vertx.core.buffer.Buffer;
import java.util.Map;
import java.util.Optional;

/**
 * An operation of a batch, as the caller wrote it.
 *
 * @param body JSON, in which references are replaced; empty for none
 * @param isCounted whether it continues an admitted item: counted, not rejected
 */
record Item(
    String method,
    Target target,
    Map<String, String> headers,
    Buffer body,
    Optional<String> idempotencyKey,
    boolean isCounted) {

  /**
   * The resource.
   *
   * @param parameters values for the names in braces of the path
   */
  record Target(String path, Map<String, Parameter> parameters) {}

  /** The value for a name in braces. */
  sealed interface Parameter {
    /** A text, or a number as it was written. */
    record Text(String text) implements Parameter {}

    /** A value from the answer of an earlier item, see {@link References}. */
    record From(int item, String pointer) implements Parameter {}
  }
}
