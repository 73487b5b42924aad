/** Sends requests to the providers of an upstream with permits from the whole cluster. */
@NullMarked
package io.weir.client.upstream;

import org.jspecify.annotations.NullMarked;
