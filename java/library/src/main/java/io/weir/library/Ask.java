package io.weir.library;

import static java.util.Objects.requireNonNull;

import io.weir.core.answer.TicketPreference;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A question of a program: may this subject do this now?
 *
 * @param subject the id of an API key that the policy lists, or a name that one of its rules covers; a record of the same
 *     name, which nodes prefer to a rule, is not known here
 * @param operation the name of the operation
 * @param cost in operations, above 0; empty for the operation's own cost
 * @param ticket the ticket of an earlier denial, if the caller shows one
 * @param wantsTicket whether a denial has a ticket; without one, callers are told to return after whole seconds
 */
public record Ask(
    String subject,
    String operation,
    OptionalLong cost,
    Optional<String> ticket,
    boolean wantsTicket) {
  public Ask {
    requireNonNull(subject, "subject");
    requireNonNull(operation, "operation");
    if (cost.isPresent() && cost.getAsLong() <= 0) {
      throw new IllegalArgumentException("cost: %d (expected: > 0)".formatted(cost.getAsLong()));
    }
  }

  /** An ask for the operation's own cost, without a ticket. */
  public static Ask of(String subject, String operation) {
    return new Ask(subject, operation, OptionalLong.empty(), Optional.empty(), true);
  }

  /**
   * The ask of an HTTP request. It gets a ticket if it shows one or prefers one.
   *
   * @param ticket the field {@code Retry-Ticket}, if it has it
   * @param preferences the values of its field {@code Prefer}
   */
  public static Ask ofRequest(
      String subject, String operation, Optional<String> ticket, List<String> preferences) {
    Ask ask = of(subject, operation);
    return ticket.isPresent() || TicketPreference.isIn(preferences)
        ? ask.ticket(ticket)
        : ask.withoutTicket();
  }

  /** The same at another cost, in operations, above 0. */
  public Ask cost(long operations) {
    return new Ask(subject, operation, OptionalLong.of(operations), ticket, wantsTicket);
  }

  /** The same with the ticket of the denial before. */
  public Ask ticket(String shown) {
    return new Ask(subject, operation, cost, Optional.of(shown), true);
  }

  /** The same with the ticket of the denial before, if it has one. */
  public Ask ticket(Optional<String> shown) {
    return new Ask(subject, operation, cost, shown, wantsTicket || shown.isPresent());
  }

  /** The same for a caller that cannot keep a ticket. */
  public Ask withoutTicket() {
    return new Ask(subject, operation, cost, Optional.empty(), false);
  }
}
