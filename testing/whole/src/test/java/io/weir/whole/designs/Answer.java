package io.weir.whole.designs;

/**
 * An answer to a caller.
 *
 * @param status of HTTP; 0 if there was none
 * @param cost what was charged in the end
 * @param by the provider and its key, such as {@code a/1}; empty if none answered
 */
record Answer(
    long sent, long got, String operation, int status, long cost, String by, boolean isDegraded) {
  boolean isGood() {
    return status == 200;
  }
}
