package io.weir.node.answer;

import io.vertx.core.MultiMap;
import io.weir.core.answer.AnswerFields;
import io.weir.core.answer.TicketPreference;
import io.weir.core.slot.TicketRequest;
import io.weir.state.wire.RandomId;
import java.util.Optional;

/** Reads tickets and ticket requests of callers. */
public final class Tickets {
  /** The header of a ticket, in requests and answers. */
  public static final String RETRY_TICKET = AnswerFields.RETRY_TICKET;

  private Tickets() {}

  /**
   * The ticket that a request shows or asks for in its headers.
   *
   * @param withinMicros the longest wait for which the node itself wants a ticket, to hold the request; 0 for never
   */
  public static TicketRequest in(MultiMap headers, long withinMicros) {
    Optional<String> shown = Optional.ofNullable(headers.get(RETRY_TICKET));
    if (shown.isPresent() || prefers(headers)) {
      return TicketRequest.wanted(shown, RandomId::next);
    }
    return withinMicros > 0
        ? new TicketRequest(Optional.empty(), RandomId::next, withinMicros)
        : TicketRequest.NONE;
  }

  /** The ticket that a caller of the check API shows or asks for. */
  public static TicketRequest of(Optional<String> shown, boolean wanted) {
    return shown.isPresent() || wanted
        ? TicketRequest.wanted(shown, RandomId::next)
        : TicketRequest.NONE;
  }

  /** Whether the caller asked for a ticket. */
  public static boolean prefers(MultiMap headers) {
    return headers.contains("Prefer") && TicketPreference.isIn(headers.getAll("Prefer"));
  }
}
