package io.weir.node.upstream;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.util.Optional;

/** Inspects an answer before any of it is passed on. */
public interface AnswerFilter {
  /**
   * Whether the answer is passed on; if not, none of it is, and the exchange fails with {@link NotPassedException}.
   *
   * @param body the whole body, if it is there and short
   */
  boolean passes(int status, MultiMap headers, Optional<Buffer> body);

  /** Whether the filter needs a short JSON body of an answer with this status. */
  boolean readsBody(int status);

  /** An answer that was read, if it passes. */
  default <T> Future<T> passed(T answer, int status, MultiMap headers, Optional<Buffer> body) {
    return passes(status, headers, body)
        ? Future.succeededFuture(answer)
        : Future.failedFuture(new NotPassedException());
  }
}
