package io.weir.providers.queue;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The groups of an upstream's queue, which take turns. Mutable; owned by its event loop. */
final class Groups {
  /** The group that was served last is last. */
  private final Map<String, GroupQueue> byName = new LinkedHashMap<>();

  /** The group of a request, whether it waits or not. */
  GroupQueue of(Waiter waiter) {
    return byName.computeIfAbsent(waiter.wish().group(), known -> new GroupQueue());
  }

  /** Moves the group of a request to the end. */
  void comesLast(Waiter waiter) {
    if (byName.size() > 1) {
      GroupQueue group = of(waiter);
      byName.remove(waiter.wish().group());
      byName.put(waiter.wish().group(), group);
    }
  }

  boolean isWaiting() {
    return waiting() > 0;
  }

  /** Whether there are requests to ask for, other than the first ones of blocked groups. */
  boolean isWorthAsking() {
    return byName.values().stream()
        .anyMatch(group -> !group.isBlocked() && group.worthAsking().hasNext());
  }

  /** Whether other queues wait for a turn that no request here takes. */
  boolean hasAbandoned() {
    return byName.values().stream().anyMatch(GroupQueue::isAbandoned);
  }

  /** The next call to the shared state lists the groups with requests, and forgets the others. */
  void forgetAbandoned() {
    byName.values().stream().filter(GroupQueue::isAbandoned).forEach(GroupQueue::forget);
  }

  /** The number of groups with waiting requests. */
  int waiting() {
    return (int) byName.values().stream().filter(group -> group.size() > 0).count();
  }

  /** The requests to ask for: at least one of each group; one of each group, then the next one of each, and so on. */
  List<Waiter> first(int atLeast) {
    int most = Math.max(atLeast, byName.size());
    List<Iterator<Waiter>> groups = new ArrayList<>(byName.size());
    byName.values().forEach(group -> groups.add(group.worthAsking()));
    List<Waiter> first = new ArrayList<>();
    boolean isMore = true;
    while (isMore) {
      isMore = false;
      for (Iterator<Waiter> group : groups) {
        if (first.size() < most && group.hasNext()) {
          first.add(group.next());
          isMore = true;
        }
      }
    }
    return first;
  }

  List<GroupQueue> all() {
    return List.copyOf(byName.values());
  }
}
