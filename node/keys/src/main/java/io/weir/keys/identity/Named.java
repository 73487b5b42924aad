package io.weir.keys.identity;

import io.weir.core.bucket.Names;
import io.weir.keys.identity.IdentityRule.Assigned;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import java.util.Optional;

/** The name that a source gives a caller, with its tenant and plan if the source gives those, too. Immutable. */
record Named(Source from, String name, Optional<String> tenant, Optional<String> plan) {
  private static final ProblemDetails INVALID = ProblemDetails.of(
      401,
      "subject_invalid",
      "The name of this caller cannot be used (expected: 1 to %d visible ASCII characters, with its prefix)"
          .formatted(Names.MAX_SUBJECT));

  /** A name with its prefix; throws {@link RefusedException} if no subject can have it. */
  static Named of(Source from, Assigned assigned, String name) {
    String prefixed = assigned.prefix() + name;
    if (name.isEmpty() || !Names.isSubject(prefixed)) {
      throw new RefusedException(INVALID);
    }
    return new Named(from, prefixed, assigned.tenant(), assigned.plan());
  }
}
