/** The sources of the identity of a caller: keys, tokens, headers of proxies, certificates, addresses. */
@NullMarked
package io.weir.keys.identity;

import org.jspecify.annotations.NullMarked;
