package io.weir.kind;

/**
 * A request holds its permits and its reservation until it ends.
 *
 * @param id names the hold among those of its API key; the caller of a service may choose it
 * @param leaseMicros until when it is held without being renewed, from now
 * @param reserves whether what is taken can be settled: then it is recorded
 * @param refundsOnExpiry whether what was reserved is given back where nobody settles it in time
 */
public record Hold(String id, long leaseMicros, boolean reserves, boolean refundsOnExpiry) {

  public Hold {
    if (leaseMicros < 1) {
      throw new IllegalArgumentException("leaseMicros: %d (expected: > 0)".formatted(leaseMicros));
    }
  }
}
