/** The meaning of answers of providers. */
@NullMarked
package io.weir.providers.answer;

import org.jspecify.annotations.NullMarked;
