package io.weir.spring.web;

import java.security.Principal;
import java.util.Optional;
import org.springframework.security.core.Authentication;
import org.springframework.security.oauth2.core.ClaimAccessor;

/** Claims of authenticated tokens. */
final class Claims {
  private Claims() {}

  /** The claim of a principal whose token has claims, as text. */
  static Optional<String> of(Principal principal, String name) {
    return principal instanceof Authentication authentication
            && authentication.getPrincipal() instanceof ClaimAccessor claims
        ? Optional.ofNullable(claims.getClaimAsString(name))
        : Optional.empty();
  }
}
