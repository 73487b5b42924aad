package io.weir.core.policy;

/**
 * Names the settings of an extension in a policy, or in an operation of it, and gives them their type.
 *
 * @param name unique among all extensions; extensions are read in the order of their names
 */
public record PartKey<T>(String name, Class<T> type) {}
