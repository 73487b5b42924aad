package io.weir.state.denial;

import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer.Decided;

/**
 * An answer on rates.
 *
 * @param charge on these rates alone
 * @param used per demand the units used
 * @param waitMicros of a denial, from when Redis decided
 */
@SuppressWarnings("ArrayRecordComponent")
public record RatesAnswer(Decided answer, Charge charge, long[] used, long waitMicros) {}
