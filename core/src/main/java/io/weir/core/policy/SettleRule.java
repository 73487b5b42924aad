package io.weir.core.policy;

import java.util.Set;

/**
 * How the cost of an operation is determined after it is done.
 *
 * @param source the part of the answer
 * @param name the header's or trailer's name, or the JSON pointer (RFC 6901); empty for a usage object
 * @param leaseMicros how long the initial charge waits to be settled, without a renewal
 * @param refunds which requests are given it back
 * @param leastPercent the least share of the requested cost that is charged at first, for callers that ask for more
 *     than they use; 100 for all of it
 * @param divisor how much of the number in the answer is one operation; rounded up
 */
public record SettleRule(
    Source source, String name, long leaseMicros, Refunds refunds, int leastPercent, long divisor) {

  /** The number is the cost, and stays charged if the request fails. */
  public SettleRule(
      Source source, String name, long leaseMicros, boolean refundsOnExpiry, int leastPercent) {
    this(source, name, leaseMicros, new Refunds(refundsOnExpiry, false, Set.of()), leastPercent, 1);
  }

  /** A copy whose initial charge waits this long. */
  public SettleRule waiting(long micros) {
    return new SettleRule(source, name, micros, refunds, leastPercent, divisor);
  }

  /** The part of an answer that contains the cost. */
  public enum Source {
    /** A header. */
    HEADER,
    /** A trailer (RFC 9110, section 6.5). */
    TRAILER,
    /** A field of a JSON document, or of the last event of a stream that contains it. */
    JSON,
    /** The usage object of OpenAI's interfaces. */
    OPENAI,
    /** The usage objects of Anthropic's interface. */
    ANTHROPIC,
    /** The caller of the check API reports it. */
    CALLER
  }
}
