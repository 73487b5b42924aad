/** The rules of a policy for requests of Envoy's rate limit protocol: which descriptors have which limit. */
@NullMarked
package io.weir.node.envoy.rule;

import org.jspecify.annotations.NullMarked;
