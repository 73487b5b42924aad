package io.weir.state.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;

/** Bulk strings of Redis's protocol. */
final class Bulk {
  static final byte[] CRLF = {'\r', '\n'};

  private Bulk() {}

  /** Writes a bulk string of the protocol. */
  static void writeText(ByteBuf to, byte[] text) {
    writeLength(to, text.length);
    to.writeBytes(text).writeBytes(CRLF);
  }

  /** Writes the header of a bulk string. */
  static void writeLength(ByteBuf to, int length) {
    to.writeByte('$');
    if (length >= 10_000) {
      to.writeCharSequence(Integer.toString(length), US_ASCII);
    } else {
      for (int unit = length >= 1000 ? 1000 : length >= 100 ? 100 : length >= 10 ? 10 : 1;
          unit > 0;
          unit /= 10) {
        to.writeByte('0' + length / unit % 10);
      }
    }
    to.writeBytes(CRLF);
  }
}
