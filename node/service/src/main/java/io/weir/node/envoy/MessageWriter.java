package io.weir.node.envoy;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.buffer.Buffer;

/** Writes the fields of one message of Protocol Buffers. A number of 0 is left out. Mutable; for one message. */
final class MessageWriter {
  private static final int VARINT = 0;
  private static final int BYTES = 2;
  private static final int TYPE_BITS = 3;

  private final Buffer bytes = Buffer.buffer();

  MessageWriter add(int field, long number) {
    if (number != 0) {
      tag(field, VARINT);
      varint(number);
    }
    return this;
  }

  /** Adds a number, even 0: it says which of several fields is there. */
  MessageWriter addChoice(int field, long number) {
    tag(field, VARINT);
    varint(number);
    return this;
  }

  MessageWriter add(int field, String text) {
    return add(field, Buffer.buffer(text.getBytes(UTF_8)));
  }

  MessageWriter add(int field, MessageWriter message) {
    return add(field, message.bytes);
  }

  Buffer bytes() {
    return bytes;
  }

  /** Adds the bytes of a text or a message. */
  MessageWriter add(int field, Buffer value) {
    tag(field, BYTES);
    varint(value.length());
    bytes.appendBuffer(value);
    return this;
  }

  private void tag(int field, int type) {
    varint((long) field << TYPE_BITS | type);
  }

  private void varint(long number) {
    long left = number;
    while ((left & ~0x7FL) != 0) {
      bytes.appendByte((byte) ((left & 0x7f) | 0x80));
      left >>>= 7;
    }
    bytes.appendByte((byte) left);
  }
}
