package io.weir.node.envoy;

import io.vertx.core.buffer.Buffer;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Reads the fields of one message of Protocol Buffers. Every method throws {@link GrpcException} if the bytes are no such
 * message. Mutable; for one message.
 *
 * @see <a href="https://protobuf.dev/programming-guides/encoding/">the encoding</a>
 */
final class MessageReader {
  private static final int VARINT = 0;
  private static final int EIGHT_BYTES = 1;
  private static final int BYTES = 2;
  private static final int FOUR_BYTES = 5;
  private static final int TYPE_BITS = 3;
  private static final int MOST_VARINT_BITS = 63;

  private final byte[] bytes;
  private final int end;
  private int at;
  private int type;

  private MessageReader(byte[] bytes, int at, int end) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  static MessageReader of(Buffer message) {
    byte[] bytes = message.getBytes();
    return new MessageReader(bytes, 0, bytes.length);
  }

  /** Whether there is another field. */
  boolean hasNext() {
    return at < end;
  }

  /** The number of the next field. Its value is to be read, or skipped, next. */
  int field() {
    long tag = anyVarint();
    type = (int) (tag & 7);
    long number = tag >>> TYPE_BITS;
    if (number < 1 || number > 0x1FFF_FFFF) {
      throw broken("a field number out of range");
    }
    return (int) number;
  }

  /** A whole number, as 64 bits. */
  long number() {
    require(VARINT, "a number");
    return anyVarint();
  }

  /** A whole number without a sign, of which 32 bits count. */
  long number32() {
    return number() & 0xFFFF_FFFFL;
  }

  boolean flag() {
    return number() != 0;
  }

  /** A text of at most so many bytes. */
  String text(int most, String what) {
    MessageReader text = message();
    int length = text.end - text.at;
    if (length > most) {
      throw GrpcException.invalid(
          "%s: %d bytes (expected: at most %d)".formatted(what, length, most));
    }
    return isAscii(text)
        ? new String(bytes, text.at, length, StandardCharsets.ISO_8859_1)
        : decoded(text);
  }

  private boolean isAscii(MessageReader text) {
    int or = 0;
    for (int i = text.at; i < text.end; i++) {
      or |= bytes[i];
    }
    return or >= 0;
  }

  private String decoded(MessageReader text) {
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes, text.at, text.end - text.at))
          .toString();
    } catch (CharacterCodingException e) {
      throw broken("a text that is not UTF-8");
    }
  }

  /** The bytes that are left. */
  Buffer rest() {
    return Buffer.buffer(end - at).appendBytes(bytes, at, end - at);
  }

  /** A message in this one. */
  MessageReader message() {
    require(BYTES, "a text or a message");
    long length = anyVarint();
    if (length < 0 || length > end - at) {
      throw broken("a field that is longer than its message");
    }
    MessageReader inner = new MessageReader(bytes, at, at + (int) length);
    at += (int) length;
    return inner;
  }

  /** Leaves a field out. */
  void skip() {
    switch (type) {
      case VARINT -> anyVarint();
      case BYTES -> message();
      case EIGHT_BYTES -> forward(Long.BYTES);
      case FOUR_BYTES -> forward(Integer.BYTES);
      default -> throw broken("a field of type " + type);
    }
  }

  private void forward(int count) {
    if (count > end - at) {
      throw broken("a message that ends within a field");
    }
    at += count;
  }

  private void require(int expected, String what) {
    if (type != expected) {
      throw broken("another type where %s is expected".formatted(what));
    }
  }

  private long anyVarint() {
    long value = 0;
    for (int shift = 0; shift <= MOST_VARINT_BITS; shift += 7) {
      if (at >= end) {
        throw broken("a message that ends within a number");
      }
      byte next = bytes[at++];
      value |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw broken("a number of more than 64 bits");
  }

  private static GrpcException broken(String what) {
    return GrpcException.invalid("the message cannot be read: " + what);
  }
}
