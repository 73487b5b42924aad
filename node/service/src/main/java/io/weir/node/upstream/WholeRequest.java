package io.weir.node.upstream;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * A request whose body is there and whose answer is read whole.
 *
 * @param isRepeatable whether its sender declares that repeating it is safe
 * @param deadlineNanos the latest end, as of {@link System#nanoTime}
 * @param isGone whether its caller has hung up
 */
public record WholeRequest<T>(
    OutgoingRequest request,
    Optional<Buffer> body,
    boolean isRepeatable,
    long deadlineNanos,
    BooleanSupplier isGone,
    WholeExchange<T> exchange) {

  /** Sends a request once, and reads its answer. */
  public interface WholeExchange<T> {
    /**
     * Sends it over an open connection.
     *
     * @param filter is shown the answer once it has been read
     */
    Future<T> send(HttpClientRequest outgoing, SendSlot slot, AnswerFilter filter);
  }
}
