package io.weir.spring;

/** Weir cannot start as it is configured. */
public final class WeirStartException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String property;
  private final String remedy;

  WeirStartException(String property, String problem, String remedy, Throwable cause) {
    super(problem, cause);
    this.property = property;
    this.remedy = remedy;
  }

  /** The property to look at. */
  public String property() {
    return property;
  }

  /** The remedy. */
  public String remedy() {
    return remedy;
  }
}
