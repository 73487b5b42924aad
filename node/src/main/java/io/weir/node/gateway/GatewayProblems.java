package io.weir.node.gateway;

import io.weir.node.answer.ProblemDetails;

/** What the gateway answers by itself, but for decisions. */
final class GatewayProblems {
  static final ProblemDetails KEY_MISSING = ProblemDetails.of(
      401, "key_missing", "No API key: send Authorization: Bearer <id>.<secret>, or X-Api-Key");
  static final ProblemDetails KEY_INVALID =
      ProblemDetails.of(401, "key_invalid", "The API key is not known");
  static final ProblemDetails PATH_AMBIGUOUS =
      ProblemDetails.of(400, "path_ambiguous", "The path can be read in more than one way");
  static final ProblemDetails BODY_TOO_LONG =
      ProblemDetails.of(413, "body_too_long", "The request body is longer than allowed");
  static final ProblemDetails NO_UPSTREAM =
      ProblemDetails.of(404, "no_upstream", "The policy names no upstream to forward to");
  static final ProblemDetails UPSTREAM_UNREACHABLE =
      ProblemDetails.of(502, "upstream_unreachable", "The upstream cannot be reached");
  static final ProblemDetails UPSTREAM_TIMEOUT =
      ProblemDetails.of(504, "upstream_timeout", "The upstream did not answer in time");

  private GatewayProblems() {}
}
