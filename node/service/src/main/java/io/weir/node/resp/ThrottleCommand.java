package io.weir.node.resp;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.decision.Decision.Reason;
import io.weir.core.decision.Limit;
import io.weir.core.policy.CostRule;
import io.weir.core.policy.Subject;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.PolicySource;
import io.weir.core.throttle.UnknownSubjectException;
import io.weir.node.admission.Decider;
import io.weir.node.admission.Witness.Question;
import io.weir.node.auth.Identities;
import io.weir.node.resp.limit.RequestLimit;
import io.weir.node.resp.limit.RequestLimits;
import java.util.List;
import java.util.Optional;

/**
 * {@code CL.THROTTLE key max_burst count period [quantity]}: one decision by a limit that the command carries. The answer
 * is five numbers: whether the caller is limited; the limit; what is left of it; in whole seconds, rounded up, when to
 * come back, -1 if no wait is needed or none helps; and when the limit is unused again.
 */
final class ThrottleCommand implements RespCommand {
  static final String NAME = "CL.THROTTLE";

  private static final String USAGE =
      "ERR usage: CL.THROTTLE key max_burst count period [quantity]";
  private static final int FEWEST_WORDS = 5;
  private static final int NUMBERS = 5;
  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final long NO_WAIT = -1;

  private final Context context;
  private final PolicySource policies;
  private final Identities identities;
  private final Decider decider;

  /** For one event loop, that of {@code context}. */
  ThrottleCommand(Context context, PolicySource policies, Identities identities, Decider decider) {
    this.context = context;
    this.policies = policies;
    this.identities = identities;
    this.decider = decider;
  }

  @Override
  public Future<Buffer> answer(List<String> words, RespClient client) {
    if (words.size() < FEWEST_WORDS || words.size() > FEWEST_WORDS + 1) {
      throw RespException.of(USAGE);
    }
    String key = words.get(1);
    RequestLimit limit = limit(words);
    long quantity = words.size() > FEWEST_WORDS
        ? Numerals.require(words.get(FEWEST_WORDS), "quantity", 0, CostRule.MAX_COST)
        : 1;
    return identities
        .named(key)
        .compose(found -> found
            .map(subject -> decide(subject, limit, quantity))
            .orElseGet(() -> Future.failedFuture(new UnknownSubjectException(key))))
        .map(decision -> write(decision, limit, quantity == 0, client.version()))
        .recover(error -> Future.succeededFuture(undecided(error)));
  }

  private static RequestLimit limit(List<String> words) {
    return new RequestLimit(
        1 + Numerals.require(words.get(2), "max_burst", 0, RequestLimit.MOST - 1),
        Numerals.require(words.get(3), "count", 1, RequestLimit.MOST),
        Numerals.require(words.get(4), "period", 1, RequestLimit.MAX_SECONDS));
  }

  private Future<Decision> decide(Subject named, RequestLimit limit, long quantity) {
    RequestLimits limits = RequestLimits.of(policies.current().policy());
    Subject subject = limits
        .subject(named, limit)
        .orElseThrow(() ->
            RespException.of("LIMIT_REFUSED " + limits.refusal(named, limit).orElse("")));
    return quantity == 0
        ? decider.peek(context, subject, RequestLimit.OPERATION, 1)
        : decider.decide(
            context, new Question(subject, RequestLimit.OPERATION, quantity), TicketRequest.NONE);
  }

  private static Buffer undecided(Throwable error) {
    return error instanceof RespException refusal
        ? RespAnswer.error(refusal.error())
        : CheckCommand.undecided(error);
  }

  private static Buffer write(Decision decision, RequestLimit limit, boolean looks, int version) {
    Optional<Limit> state = decision.limits().stream().findFirst();
    if (decision instanceof NeverAllowed never && never.reason() == Reason.ACCESS_DISABLED) {
      return RespAnswer.error("ACCESS_DISABLED the subject is frozen");
    }
    boolean isLimited = !looks && decision.fold(allowed -> false, denied -> true, never -> true);
    long wait = isLimited
        ? decision.fold(
            allowed -> NO_WAIT, denied -> seconds(denied.retryAfterMicros()), never -> NO_WAIT)
        : NO_WAIT;
    return new RespAnswer(version)
        .array(NUMBERS)
        .add(isLimited)
        .add(state.map(Limit::quota).orElse(limit.atOnce()))
        .add(state.map(Limit::remaining).orElse(0L))
        .add(wait)
        .add(state.map(known -> seconds(known.resetMicros())).orElse(Math.max(0, wait)))
        .bytes();
  }

  private static long seconds(long micros) {
    return (micros + MICROS_PER_SECOND - 1) / MICROS_PER_SECOND;
  }
}
