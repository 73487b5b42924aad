package io.weir.core.throttle;

/** Thrown if the policy in force has no such subject: its key never existed, or has been withdrawn. */
public final class UnknownSubjectException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public UnknownSubjectException(String subjectId) {
    super("no subject '%s' in the policy".formatted(subjectId), null, false, false);
  }
}
