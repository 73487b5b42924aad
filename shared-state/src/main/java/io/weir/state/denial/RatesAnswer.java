package io.weir.state.denial;

import io.weir.core.decision.Verdict.Outcome;
import io.weir.core.decision.Verdict.Wait;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import java.util.Optional;

/**
 * An answer on rates, and the further moments of an estimate.
 *
 * @param moments the number of callers it covers; 0 if it is no estimate
 * @param freshMicros how long no newcomer can get a better answer, from when Redis decided
 */
@SuppressWarnings("ArrayRecordComponent")
public record RatesAnswer(
    Decided answer,
    Charge charge,
    long[] used,
    long waitMicros,
    long stepMicros,
    long moments,
    long freshMicros) {

  public DenialCache.Moments asMoments() {
    return new DenialCache.Moments(waitMicros, stepMicros, moments, freshMicros);
  }

  /** The answer of one of the callers after the first. */
  public StoreAnswer later(long index) {
    Wait wait = new Wait(waitMicros + index * stepMicros, true, Optional.empty());
    return new Decided(
        charge.verdict().decision(Outcome.DENIED, used, wait), answer.report().withoutLost());
  }
}
