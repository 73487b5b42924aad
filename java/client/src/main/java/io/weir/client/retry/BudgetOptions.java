package io.weir.client.retry;

/**
 * The number of calls to an upstream that may be retried when it fails: never more than {@code reserve + share ×
 * calls}. Retries at a time given by the server are not counted, because they cause no storm.
 *
 * @param share of all calls, 0 to 1
 * @param reserve the budget at the beginning, 0 to 1,000,000; the saved budget never exceeds it, or 1
 */
public record BudgetOptions(double share, int reserve) {}
