package io.weir.state.redis.wire;

import java.util.Map;

/**
 * A way that charges take to Redis: which script decides, and how much of its time one call may take.
 *
 * @param hasQueues whether the script is given the queues of the states, too
 * @param hasOthers whether charges may demand more than rates
 * @param hasPlaces whether places and tickets are looked at: then each charge may need work of its own
 * @param weights what a charge weighs
 * @param maxCharges the most charges of a call
 * @param maxCalls how many calls of a connection are in flight at most
 * @param maxOfTenant how many charges of one tenant may wait to be sent
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

  /** Nobody waits: equal charges are decided as one. */
  public static Lane fast(Map<String, String> includes) {
    return new Lane(
        LuaScript.load("charge", includes),
        false,
        false,
        false,
        !includes.isEmpty(),
        Weights.OF_RATES,
        256,
        4,
        32_768);
  }

  /** Nobody waits, and more is demanded than rates. */
  public static Lane take(Map<String, String> includes) {
    return new Lane(
        LuaScript.load("take", includes),
        false,
        true,
        false,
        !includes.isEmpty(),
        Weights.OF_KINDS,
        64,
        4,
        4096);
  }

  /** Somebody waits, or something else than the usual is the case: few charges, one call at a time. */
  public static Lane queue(Map<String, String> includes) {
    return new Lane(
        LuaScript.load("queue", includes),
        true,
        true,
        true,
        !includes.isEmpty(),
        Weights.OF_PLACES,
        32,
        1,
        4096);
  }

  /** Looking without changing anything. */
  public static Lane peek(Map<String, String> includes) {
    return new Lane(
        LuaScript.load("peek", includes),
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
