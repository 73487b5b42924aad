package io.weir.core.policy;

import java.util.OptionalLong;

/** How the cost of a request is determined. */
public sealed interface CostRule {

  /** The largest cost that a request can name: the last integer that every JSON parser keeps exactly. */
  long MAX_COST = (1L << 53) - 1;

  /** The cost of a request that names none, in operations: 1 if it has to name one. */
  long own();

  /** The same cost for each request, in operations, above 0. */
  record Fixed(long cost) implements CostRule {
    @Override
    public long own() {
      return cost;
    }
  }

  /**
   * The cost is in the request.
   *
   * @param source the part of the request
   * @param name the header's or parameter's name, or the field's JSON pointer (RFC 6901)
   * @param fallback the cost in operations if the request names none; if empty, such a request is refused
   * @param max the largest accepted number, as written in the request
   * @param divisor how much of that number is one operation
   */
  record Read(Source source, String name, OptionalLong fallback, long max, long divisor)
      implements CostRule {

    /** The number is the cost. */
    public Read(Source source, String name, OptionalLong fallback, long max) {
      this(source, name, fallback, max, 1);
    }

    @Override
    public long own() {
      return fallback.orElse(1);
    }

    /** Converts a number of a request into a cost in operations; rounded up. */
    public long operations(long number) {
      return divided(number, divisor);
    }
  }

  /** The largest divisor. */
  long MAX_DIVISOR = 1_000_000_000_000L;

  /** Divides a number by the divisor; rounded up. */
  static long divided(long number, long divisor) {
    return number / divisor + (number % divisor > 0 ? 1 : 0);
  }

  /** The part of a request that names the cost. */
  enum Source {
    HEADER,
    QUERY,
    JSON,
    /** The number of elements of a list in its body, as of a batch; anything else that is there counts as one. */
    COUNT,
    /** Its length: one operation for each started unit; the name is the number of bytes in a unit. */
    BODY
  }
}
