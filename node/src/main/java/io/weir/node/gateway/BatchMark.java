package io.weir.node.gateway;

import io.vertx.core.MultiMap;
import io.weir.node.answer.Tickets;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/**
 * How a node knows the steps of its own batches among all requests: by a secret that it makes at its start
 * and tells nobody. A step is not held back; and one that goes on with what was admitted is not rejected.
 */
public final class BatchMark {
  private static final String HEADER = "Weir-Batch";

  private final byte[] step = secret();
  private final byte[] continuing = secret();

  /** What a request is. */
  enum Kind {
    NO_STEP,
    STEP,
    CONTINUING
  }

  /** Marks a request as a step of a batch. */
  public void mark(MultiMap headers, boolean continues) {
    headers.set(HEADER, new String(continues ? continuing : step, StandardCharsets.US_ASCII));
  }

  /** Whether a request is a step of a batch. */
  public boolean isOn(MultiMap headers) {
    return kind(headers) != Kind.NO_STEP;
  }

  /** What a request is; the mark is taken off, whoever put it there. */
  Kind takeOff(MultiMap headers) {
    Kind kind = kind(headers);
    headers.remove(HEADER);
    return kind;
  }

  private Kind kind(MultiMap headers) {
    String shown = headers.get(HEADER);
    if (shown == null) {
      return Kind.NO_STEP;
    }
    byte[] bytes = shown.getBytes(StandardCharsets.UTF_8);
    if (MessageDigest.isEqual(bytes, continuing)) {
      return Kind.CONTINUING;
    }
    return MessageDigest.isEqual(bytes, step) ? Kind.STEP : Kind.NO_STEP;
  }

  private static byte[] secret() {
    return Tickets.newId().getBytes(StandardCharsets.US_ASCII);
  }
}
