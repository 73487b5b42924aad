package io.weir.core.answer;

import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Limit;
import io.weir.core.decision.Remarks;
import io.weir.core.kind.Congestion;
import java.math.BigDecimal;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * The HTTP header fields of a decision: the state of the limits ({@code RateLimit}, {@code RateLimit-Policy}:
 * draft-ietf-httpapi-ratelimit-headers-10) and, for a denial, the time to return (RFC 9110, section 10.2.3). A wait is
 * always rounded up.
 */
public final class AnswerFields {
  /** The field of a ticket, in requests and answers. */
  public static final String RETRY_TICKET = "Retry-Ticket";

  private static final int USUAL_ITEM = 48;
  private static final long MICROS_PER_MILLI = 1000;
  private static final long MILLIS_PER_SECOND = 1000;
  private static final long MICROS_PER_SECOND = 1_000_000;

  private AnswerFields() {}

  /** Passes each field of a decision to {@code set}, by name and value. */
  public static void set(Decision decision, BiConsumer<String, String> set) {
    if (!decision.limits().isEmpty()) {
      set.accept("RateLimit-Policy", policy(decision.limits()));
      set.accept("RateLimit", standing(decision.limits()));
    }
    setOthers(decision, set);
  }

  /** The same without those of the limits. */
  public static void setOthers(Decision decision, BiConsumer<String, String> set) {
    if (!decision.remarks().equals(Remarks.NONE)) {
      setRemarks(decision.remarks(), set);
    }
    if (decision.degraded()) {
      set.accept("Weir-Degraded", "shared-state-away");
    }
    if (decision instanceof Denied denied) {
      set.accept("Retry-After", Long.toString(ceil(denied.retryAfterMicros(), MICROS_PER_SECOND)));
      set.accept("Retry-After-Ms", Long.toString(retryAfterMillis(denied)));
      denied.ticket().ifPresent(ticket -> set.accept(RETRY_TICKET, ticket));
    }
  }

  private static void setRemarks(Remarks remarks, BiConsumer<String, String> set) {
    remarks.id().ifPresent(id -> set.accept("Weir-Decision", id));
    if (remarks.multiplierMillis() > Congestion.ONE) {
      set.accept("Weir-Multiplier", multiplier(remarks));
    }
    if (!remarks.paidBy().isEmpty()) {
      set.accept("Weir-Paid-By", String.join(", ", remarks.paidBy()));
    }
    if (!remarks.near().isEmpty()) {
      set.accept("Weir-Near-Limit", String.join(", ", remarks.near()));
    }
  }

  /** The multiplier as a decimal number. */
  public static String multiplier(Remarks remarks) {
    return BigDecimal.valueOf(remarks.multiplierMillis(), 3)
        .stripTrailingZeros()
        .toPlainString();
  }

  /** The wait of a denial in milliseconds. */
  public static long retryAfterMillis(Denied denied) {
    return ceil(denied.retryAfterMicros(), MICROS_PER_MILLI);
  }

  /** When a bucket is empty again, in milliseconds from now. */
  public static long resetMillis(Limit limit) {
    return ceil(limit.resetMicros(), MICROS_PER_MILLI);
  }

  /** The value of {@code RateLimit-Policy}: {@code "bucket";q=quota;w=seconds, …}. */
  public static String policy(List<Limit> limits) {
    StringBuilder text = new StringBuilder(limits.size() * USUAL_ITEM);
    for (Limit limit : limits) {
      item(limit, text).append(";q=").append(limit.quota());
      if (limit.windowMillis() > 0) {
        text.append(";w=").append(ceil(limit.windowMillis(), MILLIS_PER_SECOND));
      }
    }
    return text.toString();
  }

  /** The value of {@code RateLimit}: {@code "bucket";r=remaining;t=seconds, …}. */
  public static String standing(List<Limit> limits) {
    StringBuilder text = new StringBuilder(limits.size() * USUAL_ITEM);
    for (Limit limit : limits) {
      item(limit, text)
          .append(";r=")
          .append(limit.remaining())
          .append(";t=")
          .append(ceil(limit.resetMicros(), MICROS_PER_SECOND));
    }
    return text.toString();
  }

  private static StringBuilder item(Limit limit, StringBuilder text) {
    return text.append(text.isEmpty() ? "\"" : ", \"").append(limit.bucket()).append('"');
  }

  private static long ceil(long value, long unit) {
    return (value + unit - 1) / unit;
  }
}
