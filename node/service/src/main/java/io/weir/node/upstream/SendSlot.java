package io.weir.node.upstream;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.weir.core.policy.Upstream;
import java.util.Optional;

/** The turn of a request at one server: it may be sent there now. Mutable; ended once, on the request's event loop. */
public interface SendSlot {
  /** The server. */
  Upstream server();

  /** Names the server and the key among those of its destination; empty if there is one only. */
  String place();

  /** The headers to send. */
  MultiMap headers(RequestHeaders headers);

  /** Whether it serves other requests more than its own: then its end costs neither an attempt nor budget. */
  boolean isFree();

  /** Whether a short JSON body of an answer with this status is inspected before any of it is passed on. */
  boolean readsBody(int status);

  /**
   * The outcome of an answer.
   *
   * @param body the whole body, if it is there and short
   */
  AttemptOutcome judge(int status, MultiMap headers, Optional<Buffer> body);

  /** The outcome if the caller hung up before the answer began. */
  AttemptOutcome hungUp(long sentNanos);

  /** The outcome if the attempt was given up because another one was allowed. */
  AttemptOutcome overtaken(long sentNanos);

  /**
   * Ends the turn.
   *
   * @param tookNanos the time until the answer began, 0 if unknown
   */
  void end(AttemptOutcome outcome, long tookNanos);
}
