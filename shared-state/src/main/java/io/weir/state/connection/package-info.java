/** Connections to Redis: addresses, TLS, faults, and the running of scripts. */
@NullMarked
package io.weir.state.connection;

import org.jspecify.annotations.NullMarked;
