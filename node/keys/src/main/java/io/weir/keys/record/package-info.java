/** Records of keys and tenants, and their forms. */
@NullMarked
package io.weir.keys.record;

import org.jspecify.annotations.NullMarked;
