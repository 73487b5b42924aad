package io.weir.node.envoy;

/**
 * An Envoy that reports.
 *
 * @param name that it gave itself, or one that no client can give
 * @param network that it comes from, whose clients share bounds
 */
record EnvoyClient(String name, String network) {}
