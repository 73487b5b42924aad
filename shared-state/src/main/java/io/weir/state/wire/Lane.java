package io.weir.state.wire;

import java.util.Map;

/**
 * A way for charges to Redis: the script that decides, and how much of Redis's time one call may take.
 *
 * @param hasQueues whether the script also gets the queues of the states
 * @param hasOthers whether charges may demand more than rates
 * @param hasPlaces whether places and tickets are used: then each charge may need work of its own
 * @param weights of charges
 * @param maxCharges the most charges of a call
 * @param maxCalls the most calls in flight of a connection
 * @param maxOfTenant the most charges of one tenant that may wait to be sent
 */
public record Lane(
    LuaScript script,
    boolean hasQueues,
    boolean hasOthers,
    boolean hasPlaces,
    boolean isRehearsal,
    Weights weights,
    int maxCharges,
    int maxCalls,
    int maxOfTenant) {

  /** The lane without queues: equal charges are decided as one. */
  public static Lane fast(Map<String, String> includes) {
    return new Lane(
        LuaLibrary.limiter(includes).script("charge"),
        false,
        false,
        false,
        !includes.isEmpty(),
        Weights.OF_RATES,
        256,
        4,
        32_768);
  }

  /** The lane without queues for charges that demand more than rates. */
  public static Lane take(Map<String, String> includes) {
    return new Lane(
        LuaLibrary.limiter(includes).script("take"),
        false,
        true,
        false,
        !includes.isEmpty(),
        Weights.OF_KINDS,
        64,
        4,
        4096);
  }

  /** The lane for states with a queue, and for unusual cases: few charges, one call at a time. */
  public static Lane queue(Map<String, String> includes) {
    return new Lane(
        LuaLibrary.limiter(includes).script("queue"),
        true,
        true,
        true,
        !includes.isEmpty(),
        Weights.OF_PLACES,
        32,
        1,
        4096);
  }

  /** The lane that looks without changing anything. */
  public static Lane peek(Map<String, String> includes) {
    return new Lane(
        LuaLibrary.limiter(includes).script("peek"),
        false,
        true,
        true,
        !includes.isEmpty(),
        Weights.OF_PLACES,
        1,
        256,
        4096);
  }

  // A call of one charge needs no look at equal ones.
  boolean joinsEqual() {
    return maxCharges > 1;
  }
}
