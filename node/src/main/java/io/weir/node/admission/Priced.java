package io.weir.node.admission;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;

/**
 * A request and what its body says of it.
 *
 * @param asked with its group
 * @param cost in operations
 */
public record Priced(Asked asked, long cost) {
  /** A longer body takes longer to read than an event loop may be held. */
  private static final int MAX_BYTES_HERE = 32 << 10;

  /**
   * Reads the group and the cost; a long body is read elsewhere than on the event loop.
   *
   * @param elsewhere runs what takes long
   * @return fails with {@link io.weir.node.answer.RefusedException} where the body has no cost, or a wrong one
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
