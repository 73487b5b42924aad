package io.weir.node.envoy;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.buffer.Buffer;
import java.util.Arrays;

/** Writes the fields of one message of Protocol Buffers. A number of 0 is left out. Mutable; for one message. */
final class MessageWriter {
  private static final int VARINT = 0;
  private static final int BYTES = 2;
  private static final int TYPE_BITS = 3;
  private static final int MOST_BYTES_OF_NUMBER = 10;

  private byte[] bytes = new byte[64];
  private int length;

  MessageWriter add(int field, long number) {
    return number == 0 ? this : addChoice(field, number);
  }

  /** Adds a number, even 0: it says which of several fields is there. */
  MessageWriter addChoice(int field, long number) {
    tag(field, VARINT);
    varint(number);
    return this;
  }

  MessageWriter add(int field, String text) {
    byte[] encoded = text.getBytes(UTF_8);
    return add(field, encoded, encoded.length);
  }

  MessageWriter add(int field, MessageWriter message) {
    return add(field, message.bytes, message.length);
  }

  /** Adds the bytes of a text or a message. */
  MessageWriter add(int field, Buffer value) {
    return add(field, value.getBytes(), value.length());
  }

  Buffer bytes() {
    return Buffer.buffer(length).appendBytes(bytes, 0, length);
  }

  private MessageWriter add(int field, byte[] value, int count) {
    tag(field, BYTES);
    varint(count);
    reserve(count);
    System.arraycopy(value, 0, bytes, length, count);
    length += count;
    return this;
  }

  private void tag(int field, int type) {
    varint((long) field << TYPE_BITS | type);
  }

  private void varint(long number) {
    reserve(MOST_BYTES_OF_NUMBER);
    long left = number;
    while ((left & ~0x7FL) != 0) {
      bytes[length++] = (byte) ((left & 0x7f) | 0x80);
      left >>>= 7;
    }
    bytes[length++] = (byte) left;
  }

  private void reserve(int count) {
    if (count > bytes.length - length) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, Math.addExact(length, count)));
    }
  }
}
