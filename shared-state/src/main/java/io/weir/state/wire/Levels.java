package io.weir.state.wire;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.LeakyBucket;
import java.util.Arrays;
import java.util.List;

/**
 * The units used of a template's buckets at one instant, read from the values of their states.
 * {@code lua/lib/state/layout.lua} describes the format of such a value.
 */
public final class Levels {
  private static final int NUMBER_BYTES = 7;
  private static final int AT = 2;
  private static final int BEFORE_NUMBERS = 22;

  private final long[] used;

  private Levels(long[] used) {
    this.used = used;
  }

  /** Reads the next texts, one for each scope of the template. An empty text is an absent state. */
  public static Levels read(ChargeTemplate template, long clock, Answers answers) {
    List<Demand> demands = template.demands();
    int[] scopes = template.scopes();
    long[] used = new long[demands.size()];
    long[] writtenAt = new long[used.length];
    for (int scope : scopes) {
      Answers.Text value = answers.nextText();
      if (value.end() == value.start()) {
        continue;
      }
      long at = ChargeTemplate.number(value.bytes(), value.start() + AT);
      int[] places = template.layout(scope, value);
      for (int i = 0; i < used.length; i++) {
        if (places[i] >= 0) {
          writtenAt[i] = at;
          used[i] = ChargeTemplate.number(
              value.bytes(), value.start() + BEFORE_NUMBERS + NUMBER_BYTES * places[i]);
        }
      }
    }
    for (int i = 0; i < used.length; i++) {
      if (writtenAt[i] < clock && used[i] > 0) {
        long rate = demands.get(i).bucket().unitsPerMicro();
        used[i] = LeakyBucket.drained(used[i], rate, clock - writtenAt[i]);
      }
    }
    return new Levels(used);
  }

  /** By the index of the demand. */
  public long used(int demand) {
    return used[demand];
  }

  /** The meaning of a value's fields for some demands; valid for all values with the same fields. */
  public static final class Layout {
    private final byte[] fields;
    private final int[] places;

    public Layout(List<Demand> demands, int scope, byte[] fields) {
      this.fields = fields;
      this.places = demands.stream()
          .mapToInt(demand -> ChargeTemplate.codeOf(demand) == scope ? place(demand.bucket()) : -1)
          .toArray();
    }

    /** The layout of a value without fields: they are those of the demands, in their order. */
    public Layout(List<Demand> demands, int scope) {
      this.fields = new byte[0];
      this.places = new int[demands.size()];
      int place = 0;
      for (int i = 0; i < places.length; i++) {
        places[i] = ChargeTemplate.codeOf(demands.get(i)) == scope ? place++ : -1;
      }
    }

    /** For each demand, the index of its number in the value; -1 if it has none. */
    public int[] places() {
      return places;
    }

    public static boolean isOwn(Answers.Text value) {
      return start(value) == value.end() && count(value) > 0;
    }

    public boolean isOf(Answers.Text value) {
      int start = start(value);
      return Arrays.equals(fields, 0, fields.length, value.bytes(), start, value.end());
    }

    public static byte[] fields(Answers.Text value) {
      return Arrays.copyOfRange(value.bytes(), start(value), value.end());
    }

    private static int start(Answers.Text value) {
      return value.start() + BEFORE_NUMBERS + NUMBER_BYTES * count(value);
    }

    private static int count(Answers.Text value) {
      byte[] bytes = value.bytes();
      return ((bytes[value.start()] & 0xff) << 8) | (bytes[value.start() + 1] & 0xff);
    }

    private int place(Bucket bucket) {
      byte[] field = ChargeTemplate.field(bucket);
      int place = 0;
      int begin = 0;
      for (int i = 0; i <= fields.length; i++) {
        if (i == fields.length || fields[i] == ' ') {
          if (Arrays.equals(field, 0, field.length, fields, begin, i)) {
            return place;
          }
          place++;
          begin = i + 1;
        }
      }
      return -1;
    }
  }
}
