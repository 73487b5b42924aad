package io.weir.node.envoy.rule;

/** A key and its value in a descriptor. */
public record Entry(String key, String value) {}
