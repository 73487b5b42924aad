package io.weir.batch;

import io.weir.core.policy.Subject;
import io.weir.node.intake.Bulkhead.Portion;
import io.weir.node.intake.UnpaidWork;
import java.util.Optional;

/**
 * The caller of a batch, and what it takes of the node.
 *
 * @param key the idempotency key of the batch
 * @param memory grows by the bytes that are sent
 * @param work grows by the bytes that references read
 */
record BatchCaller(
    Subject subject, Optional<String> key, Portion memory, UnpaidWork.Account work) {}
