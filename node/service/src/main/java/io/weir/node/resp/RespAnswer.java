package io.weir.node.resp;

import io.vertx.core.buffer.Buffer;
import java.util.List;

/** Writes one answer. What is not in RESP 2 is written as clients of it expect. Mutable; for one answer. */
final class RespAnswer {
  static final int OLDER = 2;
  static final int NEWER = 3;

  private static final String LATIN_1 = "ISO-8859-1";
  private static final int USUAL_LENGTH = 256;

  private final Buffer bytes = Buffer.buffer(USUAL_LENGTH);
  private final int version;

  /** @param version of the protocol that the connection speaks */
  RespAnswer(int version) {
    this.version = version;
  }

  /** The version that a word names. */
  static int version(String word) {
    return switch (word) {
      case "2" -> OLDER;
      case "3" -> NEWER;
      default -> throw RespException.of("NOPROTO unsupported protocol version");
    };
  }

  static Buffer ok() {
    return Buffer.buffer("+OK\r\n");
  }

  static Buffer pong() {
    return Buffer.buffer("+PONG\r\n");
  }

  static Buffer emptyArray() {
    return Buffer.buffer("*0\r\n");
  }

  /** @param error a code in capitals and words */
  static Buffer error(String error) {
    return Buffer.buffer("-" + error.replace('\r', ' ').replace('\n', ' ') + "\r\n", LATIN_1);
  }

  static Buffer text(String text) {
    return new RespAnswer(OLDER).add(text).bytes();
  }

  /** Begins a map of so many names and values. */
  RespAnswer map(int size) {
    return version == NEWER ? head('%', size) : head('*', 2L * size);
  }

  /** Begins an array of so many values. */
  RespAnswer array(int size) {
    return head('*', size);
  }

  RespAnswer add(long number) {
    return head(':', number);
  }

  /** A flag, as 1 or 0: some clients of RESP 3 know no other. */
  RespAnswer add(boolean flag) {
    return add(flag ? 1 : 0);
  }

  RespAnswer add(String text) {
    head('$', text.length());
    return line(text);
  }

  RespAnswer add(List<String> texts) {
    head('*', texts.size());
    texts.forEach(this::add);
    return this;
  }

  /** Nothing, in place of a text. */
  RespAnswer addNothing() {
    return line(version == NEWER ? "_" : "$-1");
  }

  Buffer bytes() {
    return bytes;
  }

  private RespAnswer head(char kind, long number) {
    return line(kind + Long.toString(number));
  }

  private RespAnswer line(String text) {
    bytes.appendString(text, LATIN_1).appendString("\r\n");
    return this;
  }
}
