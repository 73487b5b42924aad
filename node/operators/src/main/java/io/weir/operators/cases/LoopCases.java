package io.weir.operators.cases;

import static java.util.Objects.requireNonNull;

import io.weir.operators.top.LimitName;
import io.weir.operators.top.TenantMap;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The cases of one event loop: opened by a first event, closed a minute after the last, and known for a day. Their
 * memory is bounded, however many names there are: a case that is pushed out begins anew. Mutable; owned by that event
 * loop.
 */
public final class LoopCases {
  static final int MOST = 512;

  private final Map<CaseType, TenantMap<CaseName, LoopCase>> cases = new EnumMap<>(CaseType.class);
  /** A clock that goes back stands still. */
  private long latestMillis = Long.MIN_VALUE;

  public LoopCases() {
    for (CaseType kind : CaseType.values()) {
      cases.put(kind, new TenantMap<>(MOST));
    }
  }

  private TenantMap<CaseName, LoopCase> of(CaseType kind) {
    return requireNonNull(cases.get(kind)); // there is one of each
  }

  /**
   * Requests of one case within a second, by a clock that does not go back.
   *
   * @param number how many
   */
  public record Requests(int number, long firstNanos, long lastNanos) {}

  /** Counts a request. */
  public void count(CaseType kind, CaseName name, LimitName by, long nowNanos) {
    long now = now(nowNanos);
    count(kind, name, by, 1, now, now);
  }

  /** Counts requests. */
  public void count(CaseType kind, CaseName name, LimitName by, Requests requests) {
    long first = TimeUnit.NANOSECONDS.toMillis(requests.firstNanos());
    long last = TimeUnit.NANOSECONDS.toMillis(requests.lastNanos());
    latestMillis = Math.max(latestMillis, last);
    count(kind, name, by, requests.number(), first, last);
  }

  private void count(
      CaseType kind, CaseName name, LimitName by, int number, long first, long last) {
    TenantMap<CaseName, LoopCase> all = of(kind);
    LoopCase known = all.get(name.tenant(), name);
    if (known == null) {
      known = new LoopCase(name, by, first);
      all.put(name.tenant(), name, known);
    }
    known.count(by, number, first, last);
  }

  /**
   * The cases that are asked for, the most frequent ones.
   *
   * @param time Redis's time now
   */
  public Cases find(CaseQuery asked, long nowNanos, Instant time) {
    long now = now(nowNanos);
    long ahead = time.toEpochMilli() - now;
    Map<CaseType, List<Case>> found = new EnumMap<>(CaseType.class);
    for (CaseType kind : asked.state().kinds()) {
      Stream<LoopCase> kept =
          of(kind).values().filter(one -> one.isKept(now) && asked.matches(one.name()));
      found.put(
          kind,
          Cases.first(kept, one -> one.isOpen(now), LoopCase.mostFirst(now))
              .map(one -> one.toCase(now, ahead))
              .toList());
    }
    return new Cases(found);
  }

  private long now(long nowNanos) {
    latestMillis = Math.max(latestMillis, TimeUnit.NANOSECONDS.toMillis(nowNanos));
    return latestMillis;
  }

  int size() {
    return cases.values().stream().mapToInt(TenantMap::size).sum();
  }
}
