package io.weir.node.resp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads commands from the bytes of a connection: arrays of bulk strings, and inline commands of words between spaces. A
 * byte is a character of Latin-1, so that what is repeated comes back as it was. Mutable; for one connection.
 *
 * @see <a href="https://redis.io/docs/latest/develop/reference/protocol-spec/">the specification of RESP</a>
 */
final class RespReader {
  /** The most words of a command. */
  static final int MAX_WORDS = 32;
  /** The most bytes of a word, and of an inline command. */
  static final int MAX_LENGTH = 4096;

  private static final int MAX_DIGITS = 9;
  private static final byte[] NOTHING = new byte[0];

  private byte[] bytes = NOTHING;
  private int from;
  private int to;
  /** The words of the command that is read, and how many it has; -1 between commands. */
  private List<String> words = new ArrayList<>();

  private int wordBytes;
  private int expected = -1;
  private int length = -1;

  /** Adds bytes that have arrived. */
  void add(Buffer arrived) {
    int kept = to - from;
    if (kept == 0) {
      bytes = arrived.getBytes();
    } else {
      byte[] joined = Arrays.copyOfRange(bytes, from, to + arrived.length());
      arrived.getBytes(joined, kept);
      bytes = joined;
    }
    from = 0;
    to = kept + arrived.length();
  }

  /** How many bytes have arrived of commands that {@link #next} has not given. */
  int kept() {
    return to - from + wordBytes;
  }

  /**
   * The next command, with at least one word; null if it has not arrived whole.
   *
   * @throws RespException if the bytes are no command, or too many
   */
  @Nullable
  List<String> next() {
    List<String> command = read();
    if (command == null) {
      trim();
    }
    return command;
  }

  // The bytes of a whole read must not be kept for the few of a command without an end.
  private void trim() {
    bytes = from == to ? NOTHING : Arrays.copyOfRange(bytes, from, to);
    to -= from;
    from = 0;
  }

  private @Nullable List<String> read() {
    while (true) {
      if (expected < 0 && !begin()) {
        return null;
      }
      while (words.size() < expected) {
        if (!word()) {
          return null;
        }
      }
      List<String> command = words;
      words = new ArrayList<>();
      wordBytes = 0;
      expected = -1;
      if (!command.isEmpty()) {
        return command;
      }
    }
  }

  // An empty array and an empty line are no commands, and no mistakes.
  private boolean begin() {
    String line = line();
    if (line == null) {
      return false;
    }
    if (line.startsWith("*")) {
      expected = Math.max(0, number(line, MAX_WORDS, "words of a command"));
    } else {
      for (String word : line.strip().split(" +", -1)) {
        if (!word.isEmpty()) {
          words.add(word);
        }
      }
      if (words.size() > MAX_WORDS) {
        throw RespException.protocol("too many words of a command");
      }
      expected = words.size();
    }
    return true;
  }

  private boolean word() {
    if (length < 0) {
      String line = line();
      if (line == null) {
        return false;
      }
      if (!line.startsWith("$")) {
        throw RespException.protocol("expected '$'");
      }
      length = number(line, MAX_LENGTH, "bytes of a word");
      if (length < 0) {
        throw RespException.protocol("a word is missing");
      }
    }
    if (to - from < length + 2) {
      return false;
    }
    if (bytes[from + length] != '\r' || bytes[from + length + 1] != '\n') {
      throw RespException.protocol("expected the end of a word");
    }
    words.add(new String(bytes, from, length, ISO_8859_1));
    from += length + 2;
    wordBytes += length;
    length = -1;
    return true;
  }

  private @Nullable String line() {
    for (int at = from; at < to; at++) {
      if (bytes[at] == '\n') {
        int end = at > from && bytes[at - 1] == '\r' ? at - 1 : at;
        String line = new String(bytes, from, end - from, ISO_8859_1);
        from = at + 1;
        if (line.length() > MAX_LENGTH) {
          break;
        }
        return line;
      }
    }
    if (to - from > MAX_LENGTH) {
      throw RespException.protocol("too long a line");
    }
    return null;
  }

  private static int number(String line, int most, String what) {
    String digits = line.substring(1);
    if (digits.equals("-1")) {
      return -1;
    }
    boolean isNumber = !digits.isEmpty()
        && digits.length() <= MAX_DIGITS
        && digits.chars().allMatch(digit -> digit >= '0' && digit <= '9');
    if (!isNumber) {
      throw RespException.protocol("no number of " + what);
    }
    int number = Integer.parseInt(digits);
    if (number > most) {
      throw RespException.protocol("too many " + what);
    }
    return number;
  }
}
