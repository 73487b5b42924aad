/** The fields of a document and their types: how values are read, reported if they are wrong, and described. */
@NullMarked
package io.weir.core.policy.schema;

import org.jspecify.annotations.NullMarked;
