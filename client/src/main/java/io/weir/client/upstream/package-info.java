/** Sends to the providers of an upstream when it is this program's turn, as the whole cluster may. */
@NullMarked
package io.weir.client.upstream;

import org.jspecify.annotations.NullMarked;
