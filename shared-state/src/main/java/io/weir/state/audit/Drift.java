package io.weir.state.audit;

/**
 * A difference between a number in Redis and the items that it stands for.
 *
 * @param place a word for the key, and the field, or the member of a set
 * @param counted the number that was stored; of a member 1 if it was there, else 0
 * @param found the number that follows from the items
 */
public record Drift(String place, long counted, long found) {}
