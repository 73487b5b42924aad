package io.weir.keys.command;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * Cuts a text into rows, in bounded memory: a row that is too long or is not UTF-8 is a problem of this row alone. A
 * byte order mark is left out. Mutable; owned by one import.
 */
final class RowReader {
  /** The longest row, in bytes. */
  static final int MOST_BYTES = 64 << 10;

  private static final byte[] UTF_8_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};
  private static final int NO_SEPARATOR = -1;

  private final InputStream in;
  private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
  private long line;

  /**
   * @throws IllegalArgumentException if the text is UTF-16
   */
  RowReader(InputStream bytes) throws IOException {
    this.in = new BufferedInputStream(bytes);
    in.mark(UTF_8_MARK.length);
    byte[] begin = in.readNBytes(UTF_8_MARK.length);
    if (begin.length > 1 && (begin[0] & begin[1] & 0xFF) == 0xFE && begin[0] != begin[1]) {
      throw new IllegalArgumentException("the text is UTF-16 (expected: UTF-8)");
    }
    if (!Arrays.equals(begin, UTF_8_MARK)) {
      in.reset();
    }
  }

  /**
   * A row.
   *
   * @param line its first line, from 1
   * @param last its last line
   * @param text empty if it has a problem
   * @param problem why it cannot be read
   */
  record Row(long line, long last, String text, Optional<String> problem) {}

  /** The next line; empty at the end. */
  Optional<Row> line() throws IOException {
    return next(NO_SEPARATOR);
  }

  /** The next row of CSV, in which quoted cells may have several lines; empty at the end. */
  Optional<Row> row(char separator) throws IOException {
    return next(separator);
  }

  private Optional<Row> next(int separator) throws IOException {
    int one = in.read();
    if (one < 0) {
      return Optional.empty();
    }
    kept.reset();
    long first = ++line;
    long length = 0;
    Quotes quotes = new Quotes(separator);
    for (; one >= 0 && (one != '\n' || quotes.isOpen); one = in.read()) {
      line += one == '\n' ? 1 : 0;
      quotes.read(one);
      if (++length <= MOST_BYTES) {
        kept.write(one);
      }
    }
    if (quotes.isOpen) {
      return problem(first, "a quote is not closed");
    }
    if (length > MOST_BYTES) {
      return problem(first, "%d bytes (expected: at most %d)".formatted(length, MOST_BYTES));
    }
    return decoded(first);
  }

  private Optional<Row> decoded(long first) {
    try {
      String text = StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(kept.toByteArray()))
          .toString();
      boolean hasReturn = text.endsWith("\r");
      return Optional.of(new Row(
          first, line, hasReturn ? text.substring(0, text.length() - 1) : text, Optional.empty()));
    } catch (CharacterCodingException e) {
      return problem(first, "the text is not UTF-8");
    }
  }

  private Optional<Row> problem(long first, String problem) {
    return Optional.of(new Row(first, line, "", Optional.of(problem)));
  }

  /** Whether a quoted cell is open: RFC 4180, where a quote opens only at the begin of a cell. Mutable. */
  private static final class Quotes {
    private final int separator;
    private int before;
    private boolean isOpen;
    private boolean wasOpen;

    Quotes(int separator) {
      this.separator = separator;
      this.before = separator;
    }

    void read(int one) {
      if (one == '"' && separator != NO_SEPARATOR) {
        boolean isDoubled = wasOpen && before == '"';
        boolean opens = !isOpen && (before == separator || isDoubled);
        wasOpen = isOpen;
        isOpen = opens;
      } else {
        wasOpen = false;
      }
      before = one;
    }
  }
}
