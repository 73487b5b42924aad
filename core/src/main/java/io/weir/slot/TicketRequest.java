package io.weir.slot;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * What a caller shows and wants.
 *
 * @param shown the ticket it came with
 * @param newId what a new ticket is made of: {@value #ID_LENGTH} characters nobody can guess
 * @param withinMicros up to which wait a ticket is wanted; -1 for never. Beyond, and without one, the
 *     caller comes back at a whole second
 */
public record TicketRequest(Optional<String> shown, String newId, long withinMicros) {

  /** How long the id of a ticket is. */
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

  /** The part of the shown ticket that nobody can guess. */
  public Optional<String> shownId() {
    return shown.map(text -> text.substring(17));
  }

  /** Until when the shown ticket was good. */
  public OptionalLong deadlineMicros() {
    return shown.stream()
        .mapToLong(text -> Long.parseLong(text.substring(0, 16)))
        .findFirst();
  }

  /** Whether a ticket is wanted whatever the wait: such a caller takes no place of others. */
  public boolean wantsAlways() {
    return withinMicros == ANY_WAIT;
  }

  /** Whether a ticket is wanted for this wait. */
  public boolean wants(long waitMicros) {
    return waitMicros <= withinMicros;
  }
}
