/** The door for services that throttle for themselves: POST /v1/check. */
@NullMarked
package io.weir.node.check;

import org.jspecify.annotations.NullMarked;
