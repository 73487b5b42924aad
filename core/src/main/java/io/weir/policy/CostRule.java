package io.weir.policy;

import java.util.OptionalLong;

/** How a request's cost is found. */
public sealed interface CostRule {

  /** The largest cost a request can name: the last integer that every JSON parser keeps exactly. */
  long MAX_COST = (1L << 53) - 1;

  /** The same cost for each request, in operations, above 0. */
  record Fixed(long cost) implements CostRule {}

  /**
   * The cost is in the request.
   *
   * @param source where
   * @param name the header's or parameter's name, or the field's JSON pointer (RFC 6901)
   * @param fallback the cost in operations where the request names none; without one such a request is refused
   * @param max the highest number that is accepted, as the request has it
   * @param divisor how much of that number is one operation
   */
  record Read(Source source, String name, OptionalLong fallback, long max, long divisor)
      implements CostRule {

    /** The number is the cost. */
    public Read(Source source, String name, OptionalLong fallback, long max) {
      this(source, name, fallback, max, 1);
    }

    /** The cost in operations of a number that a request has; rounded up. */
    public long operations(long number) {
      return divided(number, divisor);
    }
  }

  /** The largest divisor. */
  long MAX_DIVISOR = 1_000_000_000_000L;

  /** So many operations, of which each is {@code divisor}; rounded up. */
  static long divided(long number, long divisor) {
    return number / divisor + (number % divisor > 0 ? 1 : 0);
  }

  /** The part of a request that names the cost. */
  enum Source {
    HEADER,
    QUERY,
    JSON,
    /** Its length: as many operations as it has begun units of so many bytes; the name is their number. */
    BODY
  }
}
