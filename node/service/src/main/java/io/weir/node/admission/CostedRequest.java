package io.weir.node.admission;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;

/**
 * A request with the group and the cost that its body names.
 *
 * @param asked with its group
 * @param cost in operations
 */
public record CostedRequest(IdentifiedRequest asked, long cost) {
  /** Parsing a longer body would block the event loop for too long. */
  private static final int MAX_BYTES_HERE = 32 << 10;

  /**
   * Reads the group and the cost; a long body is read on another thread.
   *
   * @param elsewhere runs long tasks
   * @return fails with {@link io.weir.node.answer.RefusedException} if the body has no cost, or an invalid one
   */
  public static Future<CostedRequest> of(
      IdentifiedRequest asked,
      Optional<Buffer> body,
      Function<Callable<CostedRequest>, Future<CostedRequest>> elsewhere) {
    boolean isLong = asked.needsBody() && body.isPresent() && body.get().length() > MAX_BYTES_HERE;
    return isLong
        ? elsewhere.apply(() -> read(asked, body))
        : Future.succeededFuture().map(begun -> read(asked, body));
  }

  private static CostedRequest read(IdentifiedRequest asked, Optional<Buffer> body) {
    return new CostedRequest(asked.with(body), Admission.cost(asked, body));
  }
}
