package io.weir.client.retry;

/**
 * How many calls to an upstream may be sent again when it fails: never more than {@code reserve + share ×
 * calls}. What waits for a time that the server named is not counted, since it storms nobody.
 *
 * @param share of all calls, 0 to 1
 * @param reserve that is there from the beginning, 0 to 1,000,000; what is saved up never exceeds it, or 1
 */
public record BudgetOptions(double share, int reserve) {}
