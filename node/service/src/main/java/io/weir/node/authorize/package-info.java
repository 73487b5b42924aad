/** The door for proxies that ask before they forward: {@code /v1/authorize}. */
@NullMarked
package io.weir.node.authorize;

import org.jspecify.annotations.NullMarked;
