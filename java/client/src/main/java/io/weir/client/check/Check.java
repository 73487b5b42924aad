package io.weir.client.check;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * A question: may this caller do this now? Immutable.
 *
 * @param who the id of a subject, for which a service vouches with its token; or a whole API key
 * @param isKey whether {@code who} is an API key
 * @param operation as the policy names it, or any other name: then as {@code unlisted}
 * @param cost in operations; empty for the operation's own cost
 * @param atLeast the least of the cost that the caller accepts, from 1 to the cost, which it needs; empty for all or nothing
 * @param wantsTicket whether a denial should come with a ticket: a place that is kept
 * @param ticket of an earlier denial
 */
public record Check(
    String who,
    boolean isKey,
    String operation,
    OptionalLong cost,
    OptionalLong atLeast,
    boolean wantsTicket,
    Optional<String> ticket) {
  private static final Pattern WHO = Pattern.compile("[!-~]{1,512}");
  private static final Pattern OPERATION = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  /** @throws IllegalArgumentException if a node would refuse it, for which others in its batch would have to wait */
  public Check {
    require("who", WHO.matcher(who).matches(), "1 to 512 visible ASCII characters");
    require("operation", OPERATION.matcher(operation).matches(), OPERATION.pattern());
    require("cost", cost.orElse(1) >= 1, "a number above 0");
    long least = atLeast.orElse(1);
    require(
        "atLeast", least >= 1 && (atLeast.isEmpty() || least <= cost.orElse(0)), "1 to the cost");
  }

  // The value is left out: it may be a key.
  private static void require(String name, boolean isSound, String expected) {
    if (!isSound) {
      throw new IllegalArgumentException("%s: (expected: %s)".formatted(name, expected));
    }
  }

  /** A question of a service about a subject; the client must have the service token. */
  public static Check ofSubject(String subject, String operation) {
    return new Check(
        subject,
        false,
        operation,
        OptionalLong.empty(),
        OptionalLong.empty(),
        false,
        Optional.empty());
  }

  /** A question about the owner of an API key, such as a caller has shown it. */
  public static Check ofKey(String key, String operation) {
    return new Check(
        key, true, operation, OptionalLong.empty(), OptionalLong.empty(), false, Optional.empty());
  }

  /** The same for this cost. */
  public Check costing(long operations) {
    return new Check(
        who, isKey, operation, OptionalLong.of(operations), atLeast, wantsTicket, ticket);
  }

  /** The same for a caller that accepts less than the cost, and takes what is left: not less than this. */
  public Check atLeast(long operations) {
    return new Check(who, isKey, operation, cost, OptionalLong.of(operations), wantsTicket, ticket);
  }

  /** The same, and a denial comes with a ticket. */
  public Check wantingTicket() {
    return new Check(who, isKey, operation, cost, atLeast, true, ticket);
  }

  /** The same with the ticket of an earlier denial; a further denial comes with one, too. */
  public Check showing(String shown) {
    return new Check(who, isKey, operation, cost, atLeast, true, Optional.of(shown));
  }

  @Override
  public String toString() {
    return "Check[%s]".formatted(operation); // a key is a secret
  }
}
