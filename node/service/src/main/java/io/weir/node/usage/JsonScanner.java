package io.weir.node.usage;

import io.weir.node.json.JsonInput;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads a sequence of JSON documents (RFC 8259) as their bytes pass, and shows their structure to a visitor. It reads
 * each byte once, and keeps only the nesting and one wanted name or number, so that no document can make it slow or
 * large. Mutable; used by one request.
 */
final class JsonScanner {
  static final int MAX_DEPTH = JsonInput.MAX_DEPTH;

  /** The longest name or number that is shown, in bytes. */
  private static final int MAX_KEPT = 6 << 10;

  private final Visitor visitor;
  private final boolean[] isArray = new boolean[MAX_DEPTH + 1];
  private final ByteArrayOutputStream kept = new ByteArrayOutputStream(64);
  private int depth;
  private Expected expected = Expected.VALUE;
  private Inside inside = Inside.NOTHING;
  private boolean isName;
  private boolean isKept;

  /** @param visitor gets the structure */
  JsonScanner(Visitor visitor) {
    this.visitor = visitor;
  }

  /** The structure of documents. */
  interface Visitor {
    /** Whether the name that begins is to be shown. */
    boolean wantsName();

    /** A name; null if it is not wanted or too long. */
    void name(@Nullable String name);

    /** Whether the number that begins is to be shown. */
    boolean wantsNumber();

    /** A number as it is written. */
    void number(String text);

    /** An object or an array begins. */
    void begin(boolean isArray);

    /** An object or an array ends. */
    void end();

    /** A text, a word or a number has ended. */
    void scalarEnded();
  }

  private enum Expected {
    VALUE,
    VALUE_OR_END,
    NAME,
    NAME_OR_END,
    COLON,
    COMMA_OR_END
  }

  private enum Inside {
    NOTHING,
    STRING,
    ESCAPE,
    NUMBER,
    WORD
  }

  /** Reads a piece; false if it is not JSON: nothing more may be fed then. */
  boolean feed(byte[] bytes) {
    for (byte c : bytes) {
      if (!take(c)) {
        return false;
      }
    }
    return true;
  }

  private boolean take(byte c) {
    return switch (inside) {
      case STRING -> inString(c);
      case ESCAPE -> escaped(c);
      case NUMBER -> isOfNumber(c) ? keep(c) : endNumber() && between(c);
      case WORD -> isOfWord(c) || (endScalar() && between(c));
      case NOTHING -> between(c);
    };
  }

  private boolean inString(byte c) {
    if (c == '"') {
      return isName ? endName() : endScalar();
    }
    if (c == '\\') {
      inside = Inside.ESCAPE;
    }
    boolean isControl = c >= 0 && c < ' ';
    return !isControl && keep(c);
  }

  private boolean escaped(byte c) {
    inside = Inside.STRING;
    return keep(c);
  }

  private boolean between(byte c) {
    return switch (c) {
      case ' ', '\t', '\r', '\n' -> true;
      case (byte) 0xef, (byte) 0xbb, (byte) 0xbf -> depth == 0; // a byte order mark
      case '{' -> isValueNext() && begin(false);
      case '[' -> isValueNext() && begin(true);
      case '}' -> end(false, Expected.NAME_OR_END);
      case ']' -> end(true, Expected.VALUE_OR_END);
      case ',' -> comma();
      case ':' -> expected == Expected.COLON && expect(Expected.VALUE);
      case '"' -> beginString();
      default -> isValueNext() && beginScalar(c);
    };
  }

  private boolean isValueNext() {
    return expected == Expected.VALUE || expected == Expected.VALUE_OR_END;
  }

  private boolean begin(boolean array) {
    if (depth == MAX_DEPTH) {
      return false;
    }
    visitor.begin(array);
    isArray[++depth] = array;
    return expect(array ? Expected.VALUE_OR_END : Expected.NAME_OR_END);
  }

  private boolean end(boolean array, Expected empty) {
    boolean isEnd = depth > 0
        && isArray[depth] == array
        && (expected == Expected.COMMA_OR_END || expected == empty);
    if (isEnd) {
      depth--;
      visitor.end();
      afterValue();
    }
    return isEnd;
  }

  private boolean comma() {
    return expected == Expected.COMMA_OR_END
        && expect(isArray[depth] ? Expected.VALUE : Expected.NAME);
  }

  private boolean beginString() {
    isName = expected == Expected.NAME || expected == Expected.NAME_OR_END;
    isKept = isName && visitor.wantsName();
    kept.reset();
    inside = Inside.STRING;
    return isName || isValueNext();
  }

  private boolean beginScalar(byte c) {
    boolean isNumber = c == '-' || isDigit(c);
    isKept = isNumber && visitor.wantsNumber();
    kept.reset();
    inside = isNumber ? Inside.NUMBER : Inside.WORD;
    return isNumber ? keep(c) : isOfWord(c);
  }

  private boolean endName() {
    inside = Inside.NOTHING;
    visitor.name(isKept ? JsonInput.unescaped(kept.toString(StandardCharsets.UTF_8)) : null);
    return expect(Expected.COLON);
  }

  private boolean endNumber() {
    if (isKept) {
      visitor.number(kept.toString(StandardCharsets.US_ASCII));
    }
    return endScalar();
  }

  private boolean endScalar() {
    inside = Inside.NOTHING;
    visitor.scalarEnded();
    afterValue();
    return true;
  }

  private void afterValue() {
    expected = depth == 0 ? Expected.VALUE : Expected.COMMA_OR_END;
  }

  private boolean expect(Expected next) {
    expected = next;
    return true;
  }

  private boolean keep(byte c) {
    if (isKept) {
      isKept = kept.size() < MAX_KEPT;
      kept.write(c);
    }
    return true;
  }

  private static boolean isOfNumber(byte c) {
    return isDigit(c) || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-';
  }

  private static boolean isDigit(byte c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isOfWord(byte c) {
    return c >= 'a' && c <= 'z';
  }
}
