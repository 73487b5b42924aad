/** Work that is accepted now and done later: its states, its settings, and when it will be done. */
@NullMarked
package io.weir.job;

import org.jspecify.annotations.NullMarked;
