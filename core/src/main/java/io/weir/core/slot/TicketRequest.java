package io.weir.core.slot;

import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * The ticket that a caller shows, and its request for a new one.
 *
 * @param shown the ticket it came with
 * @param secrets makes {@value #SECRET_LENGTH} unguessable characters, which many requests never need
 * @param withinMicros the longest wait for which a ticket is wanted; -1 for never. For longer waits, and without a
 *     ticket, the caller comes back after whole seconds
 */
public record TicketRequest(Optional<String> shown, Supplier<String> secrets, long withinMicros) {

  /** The most characters of a ticket. */
  public static final int MAX_LENGTH = 69;

  /** The length of a secret. */
  public static final int SECRET_LENGTH = 22;

  /** No ticket shown, none wanted. */
  public static final TicketRequest NONE = new TicketRequest(Optional.empty(), () -> "", -1);

  private static final long ANY_WAIT = Long.MAX_VALUE >> 11;
  private static final Pattern TICKET =
      Pattern.compile("\\d{16}\\.\\d{1,15}\\.\\d{1,15}\\.[0-9a-f]{20}");

  /** A malformed ticket is treated as absent. */
  public TicketRequest {
    shown = shown.filter(text -> TICKET.matcher(text).matches());
  }

  /** The same with a secret that is made already. */
  public TicketRequest(Optional<String> shown, String secret, long withinMicros) {
    this(shown, () -> secret, withinMicros);
  }

  /** A caller that wants a ticket whatever the wait. */
  public static TicketRequest wanted(Optional<String> shown, Supplier<String> secrets) {
    return new TicketRequest(shown, secrets, ANY_WAIT);
  }

  /** The same with a secret that is made already. */
  public static TicketRequest wanted(Optional<String> shown, String secret) {
    return new TicketRequest(shown, secret, ANY_WAIT);
  }

  /**
   * Unguessable characters, which sign the tickets of the key from now on if the key has no open ticket; empty if no
   * ticket is wanted. Another call may give others.
   */
  public String secret() {
    return secrets.get();
  }

  /** Whether no ticket is shown, and none is wanted. */
  public boolean isNone() {
    return !wants() && shown.isEmpty();
  }

  /** Whether a ticket is wanted for some wait. */
  public boolean wants() {
    return withinMicros >= 0;
  }

  /** Whether a ticket is wanted for any wait. */
  public boolean wantsAlways() {
    return withinMicros == ANY_WAIT;
  }

  /** Whether a ticket is wanted for this wait. */
  public boolean wants(long waitMicros) {
    return waitMicros <= withinMicros;
  }
}
