package io.weir.node.gateway;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import java.util.Optional;

/** Inspects an answer before any of it is passed on. */
interface AnswerFilter {
  /** Passes every answer. */
  AnswerFilter NONE = (head, begin) -> true;

  /**
   * Whether the answer is passed on; if not, none of it is.
   *
   * @param begin the whole body, if it is short and {@link #readsBody} asked for it
   */
  boolean passes(HttpClientResponse head, Optional<Buffer> begin);

  /** Whether the filter needs the body too. */
  default boolean readsBody(HttpClientResponse head) {
    return false;
  }
}
