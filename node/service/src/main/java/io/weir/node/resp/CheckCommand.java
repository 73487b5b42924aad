package io.weir.node.resp;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.weir.core.bucket.Names;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.decision.Limit;
import io.weir.core.policy.CostRule;
import io.weir.core.policy.Subject;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.PolicySource;
import io.weir.core.throttle.UnknownSubjectException;
import io.weir.node.admission.WaitingDecider;
import io.weir.node.admission.Witness.Question;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.Tickets;
import io.weir.node.auth.Identities;
import io.weir.node.check.UndecidedCheck;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * {@code WEIR.CHECK subject operation [cost] [ATLEAST least] [TICKET ticket|NEW] [WAIT milliseconds]}: one decision, as {@code POST /v1/check} makes it for
 * a service. The answer is a map, always with the same names in the same order.
 */
final class CheckCommand implements RespCommand {
  static final String NAME = "WEIR.CHECK";

  private static final String USAGE =
      "ERR usage: WEIR.CHECK subject operation [cost] [ATLEAST least] [TICKET ticket|NEW] "
          + "[WAIT milliseconds]";
  private static final String AT_LEAST = "ATLEAST";
  private static final String TICKET = "TICKET";
  private static final Set<String> OPTION_WORDS = Set.of(AT_LEAST, TICKET, "WAIT");
  private static final int SUBJECT = 1;
  private static final int OPERATION = 2;
  private static final int OPTIONS = 3;
  private static final int FIELDS = 11;

  private final PolicySource policies;
  private final Identities identities;
  private final WaitingDecider decider;

  /** For the event loop of its decider. */
  CheckCommand(PolicySource policies, Identities identities, WaitingDecider decider) {
    this.policies = policies;
    this.identities = identities;
    this.decider = decider;
  }

  @Override
  public Future<Buffer> answer(List<String> words, RespClient client) {
    Check check = parse(words);
    return identities
        .named(check.subject())
        .compose(found -> found
            .map(subject -> decide(subject, check, client))
            .orElseGet(() -> Future.failedFuture(new UnknownSubjectException(check.subject()))))
        .map(decision -> write(decision, client.version()))
        .recover(error -> Future.succeededFuture(undecided(error)));
  }

  private Future<Decision> decide(Subject subject, Check check, RespClient client) {
    long cost =
        check.cost().orElseGet(() -> policies.current().policy().ownCost(check.operation()));
    return decider.decide(
        new Question(subject, check.operation(), cost, check.atLeast().orElse(cost)),
        check.ticket(),
        check.waitMillis(),
        client);
  }

  /** The answer to a command on which nothing was decided. */
  static Buffer undecided(Throwable error) {
    ProblemDetails problem = UndecidedCheck.problem(error, true);
    return RespAnswer.error(
        problem.code().toUpperCase(Locale.ROOT) + " " + problem.problem().title());
  }

  private static Check parse(List<String> words) {
    if (words.size() <= OPERATION) {
      throw RespException.of(USAGE);
    }
    String operation = words.get(OPERATION);
    if (!Names.isName(operation)) {
      throw RespException.of("ERR operation: (expected: a name, " + Names.NAME_PATTERN + ")");
    }
    int at = OPTIONS;
    OptionalLong cost = OptionalLong.empty();
    if (at < words.size() && !OPTION_WORDS.contains(upper(words.get(at)))) {
      cost = OptionalLong.of(Numerals.require(words.get(at++), "cost", 1, CostRule.MAX_COST));
    }
    TicketRequest ticket = TicketRequest.NONE;
    OptionalLong atLeast = OptionalLong.empty();
    long waitMillis = 0;
    Map<String, String> options = options(words.subList(at, words.size()));
    for (Map.Entry<String, String> option : options.entrySet()) {
      if (option.getKey().equals(TICKET)) {
        ticket = ticket(option.getValue());
      } else if (option.getKey().equals(AT_LEAST)) {
        long most = cost.orElseThrow(() -> RespException.of("ERR ATLEAST: (expected: a cost)"));
        atLeast = OptionalLong.of(Numerals.require(option.getValue(), AT_LEAST, 1, most));
      } else {
        waitMillis = Numerals.require(option.getValue(), "WAIT", 0, WaitingDecider.MAX_WAIT_MILLIS);
      }
    }
    return new Check(words.get(SUBJECT), operation, cost, atLeast, ticket, waitMillis);
  }

  // Each at most once, in any order.
  private static Map<String, String> options(List<String> words) {
    Map<String, String> options = new HashMap<>();
    for (int i = 0; i < words.size(); i += 2) {
      String option = upper(words.get(i));
      if (i + 1 == words.size()
          || !OPTION_WORDS.contains(option)
          || options.put(option, words.get(i + 1)) != null) {
        throw RespException.of(USAGE);
      }
    }
    return options;
  }

  private static String upper(String word) {
    return word.toUpperCase(Locale.ROOT);
  }

  private static TicketRequest ticket(String word) {
    boolean isNew = upper(word).equals("NEW");
    return Tickets.of(isNew ? Optional.empty() : Optional.of(word), true);
  }

  private static Buffer write(Decision decision, int version) {
    RespAnswer answer = new RespAnswer(version).map(FIELDS);
    Optional<Denied> denied =
        Optional.of(decision).filter(Denied.class::isInstance).map(Denied.class::cast);
    Optional<NeverAllowed> never =
        Optional.of(decision).filter(NeverAllowed.class::isInstance).map(NeverAllowed.class::cast);
    String word = decision.fold(it -> "allowed", it -> "denied", it -> "never");
    answer.add("decision").add(word);
    long wait = decision.fold(it -> 0L, Denied::retryAfterMicros, it -> -1L);
    answer.add("wait_us").add(wait);
    answer.add("estimate").add(denied.filter(Denied::estimate).isPresent());
    add("ticket", denied.flatMap(Denied::ticket), answer);
    List<String> full = decision.fold(it -> List.of(), Denied::full, NeverAllowed::full);
    answer.add("full").add(full);
    add("reason", never.map(it -> it.reason().code()), answer);
    answer.add("remaining").add(remaining(decision));
    answer.add("degraded").add(decision.degraded());
    add("id", decision.remarks().id(), answer);
    answer.add("revision").add(decision.revision()).add("granted");
    OptionalLong granted = decision.remarks().granted();
    return (granted.isPresent() ? answer.add(granted.getAsLong()) : answer.addNothing()).bytes();
  }

  private static void add(String name, Optional<String> value, RespAnswer answer) {
    answer.add(name);
    if (value.isPresent()) {
      answer.add(value.get());
    } else {
      answer.addNothing();
    }
  }

  // As often as the fullest limit admits the operation; -1 without a limit.
  private static long remaining(Decision decision) {
    return decision.limits().stream().mapToLong(Limit::remaining).min().orElse(-1);
  }

  private record Check(
      String subject,
      String operation,
      OptionalLong cost,
      OptionalLong atLeast,
      TicketRequest ticket,
      long waitMillis) {}
}
