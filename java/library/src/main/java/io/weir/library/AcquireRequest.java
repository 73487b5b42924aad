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
 * @param atLeast the least of the cost that the caller accepts; empty for all or nothing
 * @param ticket the ticket of an earlier denial, if the caller shows one
 * @param wantsTicket whether a denial has a ticket; without one, callers return after whole seconds
 */
public record AcquireRequest(
    String subject,
    String operation,
    OptionalLong cost,
    OptionalLong atLeast,
    Optional<String> ticket,
    boolean wantsTicket) {
  public AcquireRequest {
    requireNonNull(subject, "subject");
    requireNonNull(operation, "operation");
    if (cost.isPresent() && cost.getAsLong() <= 0) {
      throw new IllegalArgumentException("cost: %d (expected: > 0)".formatted(cost.getAsLong()));
    }
    if (atLeast.isPresent() && (atLeast.getAsLong() < 1 || atLeast.getAsLong() > cost.orElse(0))) {
      throw new IllegalArgumentException(
          "atLeast: %d (expected: 1 to the cost of the request)".formatted(atLeast.getAsLong()));
    }
  }

  /** A request for the operation's own cost, without a ticket. */
  public static AcquireRequest of(String subject, String operation) {
    return new AcquireRequest(
        subject, operation, OptionalLong.empty(), OptionalLong.empty(), Optional.empty(), true);
  }

  /**
   * For an HTTP request. It gets a ticket if it shows one or prefers one.
   *
   * @param ticket the field {@code Retry-Ticket}, if it has it
   * @param preferences the values of its field {@code Prefer}
   */
  public static AcquireRequest ofRequest(
      String subject, String operation, Optional<String> ticket, List<String> preferences) {
    AcquireRequest request = of(subject, operation);
    return ticket.isPresent() || TicketPreference.isIn(preferences)
        ? request.ticket(ticket)
        : request.withoutTicket();
  }

  /** The same at another cost, in operations, above 0. */
  public AcquireRequest cost(long operations) {
    return new AcquireRequest(
        subject, operation, OptionalLong.of(operations), atLeast, ticket, wantsTicket);
  }

  /**
   * The same for a caller that accepts less than the cost of the request, and takes what is left. The remarks of an
   * admission have what was granted.
   *
   * @param operations from 1 to the cost, which the request has to have
   */
  public AcquireRequest atLeast(long operations) {
    return new AcquireRequest(
        subject, operation, cost, OptionalLong.of(operations), ticket, wantsTicket);
  }

  /** The same with the ticket of the denial before. */
  public AcquireRequest ticket(String shown) {
    return new AcquireRequest(subject, operation, cost, atLeast, Optional.of(shown), true);
  }

  /** The same with the ticket of the denial before, if it has one. */
  public AcquireRequest ticket(Optional<String> shown) {
    return new AcquireRequest(
        subject, operation, cost, atLeast, shown, wantsTicket || shown.isPresent());
  }

  /** The same for a caller that cannot keep a ticket. */
  public AcquireRequest withoutTicket() {
    return new AcquireRequest(subject, operation, cost, atLeast, Optional.empty(), false);
  }
}
