package io.weir.core.policy;

import io.weir.core.policy.schema.Problem;
import java.util.List;
import java.util.stream.Collectors;

/** Thrown for a refused policy. No part of it is in force. */
public final class InvalidPolicyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient List<Problem> problems;

  /** @param problems all errors and warnings, in the order of the document; not empty */
  public InvalidPolicyException(List<Problem> problems) {
    super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
    this.problems = List.copyOf(problems);
  }

  /** All errors and warnings, in the order of the document. */
  public List<Problem> problems() {
    return problems;
  }
}
