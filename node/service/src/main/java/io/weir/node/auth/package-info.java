/** Authentication: API keys and tokens. */
@NullMarked
package io.weir.node.auth;

import org.jspecify.annotations.NullMarked;
