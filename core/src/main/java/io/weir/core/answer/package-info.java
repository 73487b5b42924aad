/** What callers are told about a decision over HTTP. */
@NullMarked
package io.weir.core.answer;

import org.jspecify.annotations.NullMarked;
