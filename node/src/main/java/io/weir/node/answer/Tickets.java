package io.weir.node.answer;

import io.vertx.core.MultiMap;
import io.weir.core.answer.AnswerFields;
import io.weir.core.slot.TicketRequest;
import io.weir.state.wire.RandomId;
import java.util.Optional;

/** Reads tickets and ticket requests of callers. */
public final class Tickets {
  /** The header of a ticket, in requests and answers. */
  public static final String RETRY_TICKET = AnswerFields.RETRY_TICKET;

  private static final String PREFERENCE = "retry-ticket";

  private Tickets() {}

  /**
   * The ticket that a request shows or asks for in its headers.
   *
   * @param withinMicros the longest wait for which the node itself wants a ticket, to hold the request; 0 for never
   */
  public static TicketRequest in(MultiMap headers, long withinMicros) {
    Optional<String> shown = Optional.ofNullable(headers.get(RETRY_TICKET));
    if (shown.isPresent() || prefers(headers)) {
      return TicketRequest.wanted(shown, RandomId.next());
    }
    return withinMicros > 0
        ? new TicketRequest(Optional.empty(), RandomId.next(), withinMicros)
        : TicketRequest.NONE;
  }

  /** The ticket that a caller of the check API shows or asks for. */
  public static TicketRequest of(Optional<String> shown, boolean wanted) {
    return shown.isPresent() || wanted
        ? TicketRequest.wanted(shown, RandomId.next())
        : TicketRequest.NONE;
  }

  /** Whether the caller asked for a ticket. */
  public static boolean prefers(MultiMap headers) {
    return headers.contains("Prefer")
        && headers.getAll("Prefer").stream().anyMatch(Tickets::prefers);
  }

  // RFC 7240, section 2: preferences are separated by commas, their parameters by semicolons;
  // separators in quotes do not count. One pass over the characters.
  private static boolean prefers(String header) {
    int begin = 0;
    boolean isQuoted = false;
    for (int i = 0; i < header.length(); i++) {
      char c = header.charAt(i);
      if (isQuoted && c == '\\') {
        i++;
      } else if (c == '"') {
        isQuoted = !isQuoted;
      } else if (c == ',' && !isQuoted) {
        if (isPreference(header.substring(begin, i))) {
          return true;
        }
        begin = i + 1;
      }
    }
    return isPreference(header.substring(Math.min(begin, header.length())));
  }

  private static boolean isPreference(String text) {
    String name = text.strip();
    boolean begins = name.regionMatches(true, 0, PREFERENCE, 0, PREFERENCE.length());
    String rest = begins ? name.substring(PREFERENCE.length()).stripLeading() : "?";
    return rest.isEmpty() || rest.startsWith("=") || rest.startsWith(";");
  }
}
