package io.weir.policy;

import java.util.List;
import java.util.stream.Collectors;

/** A policy was refused. Nothing of it is in force. */
public final class InvalidPolicyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient List<Problem> problems;

  /** @param problems every error and warning that was found, in the order of the document; not empty */
  public InvalidPolicyException(List<Problem> problems) {
    super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
    this.problems = List.copyOf(problems);
  }

  /** Every error and warning that was found, in the order of the document. */
  public List<Problem> problems() {
    return problems;
  }
}
