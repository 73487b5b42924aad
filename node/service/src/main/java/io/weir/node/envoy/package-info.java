/** The door for Envoy: its rate limit protocol, by gRPC. */
@NullMarked
package io.weir.node.envoy;

import org.jspecify.annotations.NullMarked;
