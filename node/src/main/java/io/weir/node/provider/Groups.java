package io.weir.node.provider;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The groups of an upstream's queue, which take turns. Mutable; owned by its event loop. */
final class Groups {
  /** Whichever was served last comes last. */
  private final Map<String, GroupQueue> byName = new LinkedHashMap<>();

  /** That of a request, whether it waits or not. */
  GroupQueue of(Waiter waiter) {
    return byName.computeIfAbsent(waiter.wish().group(), known -> new GroupQueue());
  }

  /** The group of this one was served. */
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

  /** Whether there is somebody else to be asked for than the first ones of blocked groups. */
  boolean isWorthAsking() {
    return byName.values().stream()
        .anyMatch(group -> !group.isBlocked() && group.worthAsking().hasNext());
  }

  /** Whether others wait for a turn that nobody here takes. */
  boolean hasAbandoned() {
    return byName.values().stream().anyMatch(GroupQueue::isAbandoned);
  }

  /** The shared state hears whom this queue asks for, and forgets the others. */
  void forgetAbandoned() {
    byName.values().stream().filter(GroupQueue::isAbandoned).forEach(GroupQueue::forget);
  }

  /** How many of them wait. */
  int waiting() {
    return (int) byName.values().stream().filter(group -> group.size() > 0).count();
  }

  /** Those that are worth asking for: at least one of each group; one of each group, then another one of each, and so on. */
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
