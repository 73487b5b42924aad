package io.weir.state.wire;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The answer of a script, in the order of the protocol, without a box for each number: arrays as their lengths,
 * integers, and texts as positions in {@link #bytes}. Read from the front. Mutable; filled by Lettuce's thread, then
 * read by one.
 */
public final class Answers extends CommandOutput<String, String, Answers> {
  /** The type of the next element. */
  public enum Type {
    ARRAY,
    INTEGER,
    TEXT,
    END
  }

  private static final int LENGTH_BITS = 32;

  private Type[] kinds = new Type[64];
  private long[] values = new long[64];
  private byte[] bytes = new byte[4096];
  private int size;
  private int used;
  private int at;

  public Answers() {
    super(StringCodec.ASCII, null);
    output = this;
  }

  @Override
  public void multi(int count) {
    record(Type.ARRAY, count);
  }

  @Override
  public void set(long integer) {
    record(Type.INTEGER, integer);
  }

  @Override
  public void set(ByteBuffer text) {
    int length = text.remaining();
    if (used + length > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, used + length));
    }
    text.get(bytes, used, length);
    record(Type.TEXT, ((long) used << LENGTH_BITS) | length);
    used += length;
  }

  /** When it was decided: the first number of every answer. */
  public long clock() {
    at = 1;
    return next();
  }

  public Type kind() {
    return at < size ? kinds[at] : Type.END;
  }

  /** The next integer, or the length of the array that begins next. */
  public long next() {
    return values[at++];
  }

  /** Advances to the next text: {@link #bytes} hold it from {@code start} to before {@code end}. */
  public Text nextText() {
    long place = values[at++];
    int start = (int) (place >>> LENGTH_BITS);
    return new Text(bytes, start, start + (int) place);
  }

  private void record(Type kind, long value) {
    if (size == values.length) {
      kinds = Arrays.copyOf(kinds, 2 * size);
      values = Arrays.copyOf(values, 2 * size);
    }
    kinds[size] = kind;
    values[size++] = value;
  }

  /** A part of some bytes; not a copy. */
  @SuppressWarnings("ArrayRecordComponent")
  public record Text(byte[] bytes, int start, int end) {}
}
