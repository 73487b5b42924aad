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
public record Priced(Asked asked, long cost) {
  /** Parsing a longer body would block the event loop for too long. */
  private static final int MAX_BYTES_HERE = 32 << 10;

  /**
   * Reads the group and the cost; a long body is read on another thread.
   *
   * @param elsewhere runs long tasks
   * @return fails with {@link io.weir.node.answer.RefusedException} if the body has no cost, or an invalid one
   */
  public static Future<Priced> of(
      Asked asked, Optional<Buffer> body, Function<Callable<Priced>, Future<Priced>> elsewhere) {
    boolean isLong = asked.needsBody() && body.isPresent() && body.get().length() > MAX_BYTES_HERE;
    return isLong
        ? elsewhere.apply(() -> read(asked, body))
        : Future.succeededFuture().map(begun -> read(asked, body));
  }

  private static Priced read(Asked asked, Optional<Buffer> body) {
    return new Priced(asked.with(body), Admission.cost(asked, body));
  }
}
