/** Policies as text: YAML and JSON. */
@NullMarked
package io.weir.state.document;

import org.jspecify.annotations.NullMarked;
