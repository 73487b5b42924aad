package io.weir.state.redis.wire;

import java.util.Map;

/**
 * A way that charges take to Redis: which script decides, and how much of its time one call may take.
 *
 * @param hasQueues whether the script is given the queues of the states, too
 * @param hasOthers whether charges may demand more than rates
 * @param hasPlaces whether places and tickets are looked at: then each charge may need work of its own
 * @param maxEntries the most charges of a call, equal ones counted once
 * @param maxCharges the most charges of a call
 * @param maxDemands the most demands that are looked at one by one, unless a single charge has more
 * @param maxCalls how many calls of a connection are in flight at most
 */
public record Lane(
    LuaScript script,
    boolean hasQueues,
    boolean hasOthers,
    boolean hasPlaces,
    boolean isRehearsal,
    int maxEntries,
    int maxCharges,
    int maxDemands,
    int maxCalls) {

  /** Nobody waits: equal charges are decided as one. */
  public static Lane fast(Map<String, String> includes) {
    return new Lane(
        LuaScript.load("charge", includes),
        false,
        false,
        false,
        !includes.isEmpty(),
        64,
        256,
        256,
        4);
  }

  /** Nobody waits, and more is demanded than rates. */
  public static Lane take(Map<String, String> includes) {
    return new Lane(
        LuaScript.load("take", includes), false, true, false, !includes.isEmpty(), 64, 64, 256, 4);
  }

  /** Somebody waits, or something else than the usual is the case: few charges, one call at a time. */
  public static Lane queue(Map<String, String> includes) {
    return new Lane(
        LuaScript.load("queue", includes), true, true, true, !includes.isEmpty(), 16, 32, 128, 1);
  }

  /** Looking without changing anything. */
  public static Lane peek(Map<String, String> includes) {
    return new Lane(
        LuaScript.load("peek", includes), false, true, true, !includes.isEmpty(), 1, 1, 500, 256);
  }
}
