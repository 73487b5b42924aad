package io.weir.testkit;

/**
 * Which generated histories a test runs: few in the development loop, many with {@code -Pthorough}, and even more of
 * some kinds in {@code scripts/nightly}, which adds {@code -Dweir.nightly=true}. The first
 * seed is 1, or that of {@code -Dweir.seed}, which repeats a history by itself.
 */
public final class Histories {
  private static final boolean IS_THOROUGH = Boolean.getBoolean("weir.thorough");

  private static final boolean IS_NIGHT = Boolean.getBoolean("weir.nightly");

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

  /**
   * The same where the night has its own.
   *
   * @param night with {@code -Pthorough -Dweir.nightly=true}
   */
  public static int count(int quick, int thorough, int night) {
    return IS_THOROUGH && IS_NIGHT ? night : count(quick, thorough);
  }
}
