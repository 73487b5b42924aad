/** The commands around a local cluster: {@code up}, {@code demo}, {@code replay-vectors}. */
@NullMarked
package io.weir.cluster.command;

import org.jspecify.annotations.NullMarked;
