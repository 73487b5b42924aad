package io.weir.benchmarks.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

/** Finds the end of an answer in the bytes that have arrived, and whether it is one of success. */
enum AnswerFormat {
  /** HTTP/1.1 with {@code Content-Length}; success is 200. */
  HTTP {
    @Override
    boolean isWhole(byte[] bytes) {
      int head = indexOf(bytes, END_OF_HEAD);
      return head >= 0 && bytes.length >= head + END_OF_HEAD.length + length(bytes);
    }

    @Override
    boolean isSuccess(byte[] bytes) {
      return bytes[9] == '2' && bytes[10] == '0' && bytes[11] == '0';
    }
  },

  /** RESP 2; an error is no success. */
  RESP {
    @Override
    boolean isWhole(byte[] bytes) {
      return endOfReply(bytes, 0) > 0;
    }

    @Override
    boolean isSuccess(byte[] bytes) {
      return bytes[0] != '-';
    }
  };

  private static final byte[] END_OF_HEAD = "\r\n\r\n".getBytes(US_ASCII);
  private static final byte[] LENGTH = "content-length:".getBytes(US_ASCII);
  private static final byte[] END_OF_LINE = "\r\n".getBytes(US_ASCII);

  /** Whether all of an answer has arrived. */
  abstract boolean isWhole(byte[] bytes);

  /** Whether a whole answer is one of success. */
  abstract boolean isSuccess(byte[] bytes);

  private static int length(byte[] bytes) {
    int digit = indexOf(bytes, LENGTH) + LENGTH.length;
    if (digit < LENGTH.length) {
      throw new IllegalStateException("an answer without a length");
    }
    int length = 0;
    for (; bytes[digit] != '\r'; digit++) {
      length = bytes[digit] == ' ' ? length : length * 10 + bytes[digit] - '0';
    }
    return length;
  }

  // The end of the reply that begins at `from`; -1 if it has not arrived.
  private static int endOfReply(byte[] bytes, int from) {
    int line = indexOf(bytes, END_OF_LINE, from);
    if (line < 0) {
      return -1;
    }
    int next = line + END_OF_LINE.length;
    boolean hasMore = bytes[from] == '$' || bytes[from] == '*';
    int count =
        hasMore ? Integer.parseInt(new String(bytes, from + 1, line - from - 1, US_ASCII)) : 0;
    if (bytes[from] == '$') {
      int end = count < 0 ? next : next + count + END_OF_LINE.length;
      return end <= bytes.length ? end : -1;
    }
    for (int i = 0; i < count && next > 0; i++) {
      next = endOfReply(bytes, next);
    }
    return next;
  }

  private static int indexOf(byte[] bytes, byte[] part) {
    return indexOf(bytes, part, 0);
  }

  // Ignores the case of letters.
  private static int indexOf(byte[] bytes, byte[] part, int from) {
    for (int i = from; i <= bytes.length - part.length; i++) {
      int same = 0;
      while (same < part.length && lower(bytes[i + same]) == part[same]) {
        same++;
      }
      if (same == part.length) {
        return i;
      }
    }
    return -1;
  }

  private static int lower(byte letter) {
    return letter >= 'A' && letter <= 'Z' ? letter + 32 : letter;
  }
}
