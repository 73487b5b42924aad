package io.weir.core.policy.read;

import io.weir.core.policy.Access;
import io.weir.core.policy.FailureMode;
import io.weir.core.slot.SlotMode;

/** The terms of a plan, without its section of the document, which may be long. */
record PlanTerms(
    String name,
    PlanDraft draft,
    Access access,
    SlotMode slots,
    FailureMode failureMode,
    LimitMode mode) {}
