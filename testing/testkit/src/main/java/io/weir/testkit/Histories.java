package io.weir.testkit;

/**
 * Which generated histories a test runs: few in the development loop, all of them with {@code -Pthorough}. The first
 * seed is 1, or that of {@code -Dweir.seed}, which repeats a history by itself.
 */
public final class Histories {
  private static final boolean IS_THOROUGH = Boolean.getBoolean("weir.thorough");

  private static final long FIRST_SEED = Long.getLong("weir.seed", 1);

  private Histories() {}

  /** The seed of the first history. */
  public static long firstSeed() {
    return FIRST_SEED;
  }

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
