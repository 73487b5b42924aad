package io.weir.testkit.judge;

import static io.weir.testkit.judge.Verdict.require;

import io.weir.testkit.ManualClock;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Judges tickets: who returns in time is admitted, and a ticket works once. Mutable; owned by one test. */
final class TicketJudge {
  private final ManualClock clock;
  private final Map<String, Promise> promises = new HashMap<>();
  private final Set<String> used = new HashSet<>();
  private long inTime;

  private record Promise(long slot, long until) {}

  TicketJudge(ManualClock clock) {
    this.clock = clock;
  }

  /** No ticket promises anything any more. */
  void forget() {
    promises.clear();
  }

  /** Forgets tickets whose time is over: they promise nothing, even if the clock is set back. */
  void forgetOver() {
    promises.values().removeIf(promise -> promise.until() < clock.getAsLong());
  }

  /** A ticket was given that is good from its slot until then. */
  void promised(String ticket, long slotMicros, long untilMicros) {
    promises.put(ticket, new Promise(slotMicros, untilMicros));
  }

  /** A caller returned with a ticket, and its cost has room in all limits that make no places. */
  void returned(String ticket, boolean isAdmitted) {
    Promise promise = promises.get(ticket);
    long now = clock.getAsLong();
    if (promise == null || (now < promise.slot() && !isAdmitted)) {
      return;
    }
    promises.remove(ticket);
    boolean isInTime = promise.slot() <= now && now <= promise.until();
    require(isAdmitted || !isInTime, ticket, "was in time, and was denied");
    inTime += isInTime ? 1 : 0;
  }

  /** A caller was admitted on the place of its ticket. */
  void claimed(String ticket) {
    require(used.add(ticket), ticket, "worked twice");
    promises.remove(ticket);
  }

  /** How many tickets were shown in time. */
  long inTime() {
    return inTime;
  }
}
