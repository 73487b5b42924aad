package io.weir.node.answer;

import io.vertx.core.MultiMap;
import io.weir.slot.TicketRequest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Pattern;

/** Tickets as callers ask for them and show them. */
public final class Tickets {
  /** The header of a ticket, there and back. */
  public static final String RETRY_TICKET = "Retry-Ticket";

  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int ID_BYTES = 16;
  // RFC 7240, section 2: preferences are separated by commas, their parameters by semicolons.
  private static final Pattern PREFERRED = Pattern.compile(
      "(^|,)\\s*retry-ticket\\s*(=[^,;]*)?(;[^,]*)?(,|$)", Pattern.CASE_INSENSITIVE);
  private static final Pattern QUOTED = Pattern.compile("\"(\\\\.|[^\"\\\\])*\"");

  private Tickets() {}

  /**
   * What a request shows and wants in its headers.
   *
   * @param withinMicros up to which wait the node itself wants a ticket, to hold the request; 0 for never
   */
  public static TicketRequest in(MultiMap headers, long withinMicros) {
    Optional<String> shown = Optional.ofNullable(headers.get(RETRY_TICKET));
    if (shown.isPresent() || prefers(headers)) {
      return TicketRequest.wanted(shown, newId());
    }
    return withinMicros > 0
        ? new TicketRequest(Optional.empty(), newId(), withinMicros)
        : TicketRequest.NONE;
  }

  /** What a caller of the check API shows and wants. */
  public static TicketRequest of(Optional<String> shown, boolean wanted) {
    return shown.isPresent() || wanted ? TicketRequest.wanted(shown, newId()) : TicketRequest.NONE;
  }

  /** Whether the caller asked for a ticket. */
  public static boolean prefers(MultiMap headers) {
    return headers.contains("Prefer")
        && headers.getAll("Prefer").stream()
            .anyMatch(
                value -> PREFERRED.matcher(QUOTED.matcher(value).replaceAll("")).find());
  }

  /** An id that nobody can guess: 128 bits. */
  public static String newId() {
    byte[] bytes = new byte[ID_BYTES];
    RANDOM.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
