package io.weir.core.slot;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * The ticket that a caller shows, and its request for a new one.
 *
 * @param shown the ticket it came with
 * @param newId the id for a new ticket: {@value #ID_LENGTH} unguessable characters
 * @param withinMicros the longest wait for which a ticket is wanted; -1 for never. For longer waits, and without a
 *     ticket, the caller comes back at a whole second
 */
public record TicketRequest(Optional<String> shown, String newId, long withinMicros) {

  /** The length of a ticket's id. */
  public static final int ID_LENGTH = 22;

  /** No ticket shown, none wanted. */
  public static final TicketRequest NONE = new TicketRequest(Optional.empty(), "", -1);

  private static final long ANY_WAIT = Long.MAX_VALUE >> 11;
  private static final Pattern TICKET = Pattern.compile("\\d{16}\\.[A-Za-z0-9_-]{22}");

  /** A malformed ticket is treated as absent. */
  public TicketRequest {
    shown = shown.filter(text -> TICKET.matcher(text).matches());
  }

  /** A caller that wants a ticket whatever the wait. */
  public static TicketRequest wanted(Optional<String> shown, String newId) {
    return new TicketRequest(shown, newId, ANY_WAIT);
  }

  /** The unguessable part of the shown ticket. */
  public Optional<String> shownId() {
    return shown.map(text -> text.substring(17));
  }

  /** The time until which the shown ticket was valid. */
  public OptionalLong deadlineMicros() {
    return shown.stream()
        .mapToLong(text -> Long.parseLong(text.substring(0, 16)))
        .findFirst();
  }

  /** Whether a ticket is wanted for any wait: such a caller uses no places of others. */
  public boolean wantsAlways() {
    return withinMicros == ANY_WAIT;
  }

  /** Whether a ticket is wanted for this wait. */
  public boolean wants(long waitMicros) {
    return waitMicros <= withinMicros;
  }
}
