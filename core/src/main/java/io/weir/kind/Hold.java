package io.weir.kind;

import java.util.regex.Pattern;

/**
 * A request holds its permits and its reservation until it ends.
 *
 * @param id names the hold among those of its API key; the caller of a service may choose it
 * @param asked stands for the content of the request: the same id with another one is refused; letters, digits and {@code
 *     ._:-}, 1 to 120 of them
 * @param leaseMicros until when it is held without being renewed, from now
 * @param reserves whether what is taken can be settled: then it is recorded
 * @param refundsOnExpiry whether what was reserved is given back where nobody settles it in time
 */
public record Hold(
    String id, String asked, long leaseMicros, boolean reserves, boolean refundsOnExpiry) {
  /** Of a request whose id no other request has. */
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

  /** Whether the caller has chosen the id, so that it may come again. */
  public boolean isNamed() {
    return !asked.equals(ANYTHING);
  }

  /** The hold of a request whose id was made for it alone. */
  public Hold(String id, long leaseMicros, boolean reserves, boolean refundsOnExpiry) {
    this(id, ANYTHING, leaseMicros, reserves, refundsOnExpiry);
  }
}
