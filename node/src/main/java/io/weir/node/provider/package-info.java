/** Upstreams made of providers: when a request may be sent to which, and what is learned of each. */
@NullMarked
package io.weir.node.provider;

import org.jspecify.annotations.NullMarked;
