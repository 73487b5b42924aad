package io.weir.core.kind;

import java.util.regex.Pattern;

/**
 * A request holds its permits and its reservation until it ends.
 *
 * @param id of the hold, unique for its API key; the caller of a service may choose it
 * @param asked identifies the content of the request: the same id with another content is refused; 1 to 120 letters,
 *     digits and {@code ._:-}
 * @param leaseMicros how long it is held without a renewal, from now
 * @param reserves whether the charge can be settled, and so is recorded
 * @param refundsOnExpiry whether the reservation is given back if it is not settled in time
 */
public record Hold(
    String id, String asked, long leaseMicros, boolean reserves, boolean refundsOnExpiry) {
  /** For a request whose id no other request has. */
  private static final String ANYTHING = "-";

  private static final Pattern ASKED = Pattern.compile("[A-Za-z0-9._:-]{1,120}");

  public Hold {
    if (!ASKED.matcher(asked).matches()) {
      throw new IllegalArgumentException("asked: '%s' (expected: %s)".formatted(asked, ASKED));
    }
    if (leaseMicros < 1) {
      throw new IllegalArgumentException("leaseMicros: %d (expected: > 0)".formatted(leaseMicros));
    }
  }

  /** Whether the caller chose the id, so that it may be used again. */
  public boolean isNamed() {
    return !asked.equals(ANYTHING);
  }

  /** The hold of a request with a generated id. */
  public Hold(String id, long leaseMicros, boolean reserves, boolean refundsOnExpiry) {
    this(id, ANYTHING, leaseMicros, reserves, refundsOnExpiry);
  }
}
