package io.weir.state.policy;

/** The policy in force and its text, as of one moment. */
public record InForce(long revision, String text) {}
