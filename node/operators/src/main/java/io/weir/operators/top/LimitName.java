package io.weir.operators.top;

/**
 * The cause that limited a caller: names of the policy, or words of the code.
 *
 * @param limit the limit, or the reason if none is full
 */
public record LimitName(String plan, String operation, String limit) {
  private static final String SEPARATOR = "\t"; // in no name

  String text() {
    return String.join(SEPARATOR, plan, operation, limit);
  }

  /** The name in a row of {@link Tops#limits}. */
  public static LimitName parse(String text) {
    String[] parts = text.split(SEPARATOR, 3);
    return new LimitName(parts[0], parts[1], parts[2]);
  }
}
