/** What answers of providers mean. */
@NullMarked
package io.weir.providers.answer;

import org.jspecify.annotations.NullMarked;
