package io.weir.node.gateway;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import java.util.Optional;

/** Looks at an answer before anything of it is told. */
interface AnswerFilter {
  /** Everything passes. */
  AnswerFilter NONE = (head, begin) -> true;

  /**
   * Whether it is told; else nothing of it is.
   *
   * @param begin all of the body where that is short and was asked for
   */
  boolean passes(HttpClientResponse head, Optional<Buffer> begin);

  /** Whether the body is wanted, too. */
  default boolean readsBody(HttpClientResponse head) {
    return false;
  }
}
