package io.weir.testkit;

/** How many generated histories a test runs: few in the development loop, all of them with {@code -Pthorough}. */
public final class Histories {
  private static final boolean IS_THOROUGH = Boolean.getBoolean("weir.thorough");

  private Histories() {}

  /** Whether {@code -Pthorough} is on. */
  public static boolean areThorough() {
    return IS_THOROUGH;
  }

  /**
   * The number of seeds, or of steps, to run.
   *
   * @param quick in the development loop
   * @param thorough with {@code -Pthorough}
   */
  public static int count(int quick, int thorough) {
    return IS_THOROUGH ? thorough : quick;
  }
}
