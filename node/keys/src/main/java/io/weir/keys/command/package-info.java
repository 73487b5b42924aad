/** The commands for keys, tenants, tokens and the audit. */
@NullMarked
package io.weir.keys.command;

import org.jspecify.annotations.NullMarked;
