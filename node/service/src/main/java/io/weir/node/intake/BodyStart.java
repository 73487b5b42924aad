package io.weir.node.intake;

import io.vertx.core.buffer.Buffer;
import java.util.function.Consumer;

/** Shows the first bytes of a long body once, the same ones however it arrives. Mutable; owned by one request. */
final class BodyStart {
  /** The length from which a body is long. */
  static final int BYTES = 16 << 10;

  private final Consumer<Buffer> look;
  private final Buffer start = Buffer.buffer();

  BodyStart(Consumer<Buffer> look) {
    this.look = look;
  }

  /** Adds the next bytes of the body. */
  void add(Buffer chunk) {
    if (start.length() >= BYTES) {
      return;
    }
    start.appendBuffer(chunk);
    if (start.length() >= BYTES) {
      look.accept(start.slice(0, BYTES));
    }
  }
}
