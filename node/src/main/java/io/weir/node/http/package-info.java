/** Bodies of requests: how they are framed, bounded, read, and left unread. */
@NullMarked
package io.weir.node.http;

import org.jspecify.annotations.NullMarked;
