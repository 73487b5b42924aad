package io.weir.state.wire;

import java.util.Map;

/**
 * A way for charges to Redis: the script that decides, and how much of Redis's time one call may take.
 *
 * @param hasOthers whether charges may demand more than rates
 * @param weights of charges
 * @param maxCharges the most charges of a call
 * @param maxCalls the most calls in flight of a connection
 * @param maxOfTenant the most charges of one tenant that may wait to be sent
 */
public record Lane(
    LuaScript script,
    boolean hasOthers,
    boolean isRehearsal,
    Weights weights,
    int maxCharges,
    int maxCalls,
    int maxOfTenant) {

  /** The lane for charges on rates alone: equal charges are one entry. */
  public static Lane rates(Map<String, String> includes) {
    return of("charge", includes, false, 256, 4, 32_768);
  }

  /** The lane for charges that demand more than rates. */
  public static Lane kinds(Map<String, String> includes) {
    return of("take", includes, true, 64, 4, 4096);
  }

  /** The lane for charges that are decided as one: those of one request are a call. */
  public static Lane joined(Map<String, String> includes) {
    return of("join", includes, true, 1, 64, 4096);
  }

  /** The lane that looks without changing anything. */
  public static Lane peek(Map<String, String> includes) {
    return of("peek", includes, true, 1, 256, 4096);
  }

  private static Lane of(
      String command,
      Map<String, String> includes,
      boolean hasOthers,
      int maxCharges,
      int maxCalls,
      int maxOfTenant) {
    LuaScript script = LuaLibrary.limiter(includes).script(command);
    boolean isRehearsal = !includes.isEmpty();
    Weights weights = hasOthers ? Weights.OF_KINDS : Weights.OF_RATES;
    return new Lane(script, hasOthers, isRehearsal, weights, maxCharges, maxCalls, maxOfTenant);
  }

  // A call of one charge needs no look at equal ones.
  boolean joinsEqual() {
    return maxCharges > 1;
  }
}
