/** The answers to callers about a decision over HTTP. */
@NullMarked
package io.weir.core.answer;

import org.jspecify.annotations.NullMarked;
