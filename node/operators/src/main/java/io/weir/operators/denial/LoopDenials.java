package io.weir.operators.denial;

import io.weir.operators.top.SubjectName;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The last denials of one event loop, for at most an hour. A key takes a bounded number of places, and a tenant does,
 * so that none of them pushes out those of all others; a key that is denied very often is remembered only now and then.
 * An id that was told is of use only while it is found: no denial pushes out one that is younger than ten seconds, but
 * those of a tenant with few.
 * Mutable; owned by that event loop.
 */
public final class LoopDenials {
  static final int MOST = 2048;
  static final int MOST_OF_TENANT = MOST / 4;
  static final int MOST_OF_QUIET_TENANT = 16;
  static final int MOST_OF_KEY = 32;
  static final int MOST_OF_KEY_IN_TEN_SECONDS = 16;

  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final long STAYS_NANOS = 10 * SECOND_NANOS;
  private static final long LIVES_NANOS = 3600 * SECOND_NANOS;
  // The digits of Crockford's base 32: no letter looks like a digit.
  private static final char[] DIGITS = "0123456789abcdefghjkmnpqrstvwxyz".toCharArray();
  // A caller must not be able to guess the ids of others from its own.
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int ID_LENGTH = 12;
  private static final int BITS = 5;

  private final Map<String, Denial> all = new LinkedHashMap<>();
  private final Map<String, Map<String, Denial>> ofTenants = new HashMap<>();
  private final Map<SubjectName, ArrayDeque<Denial>> ofKeys = new HashMap<>();

  /** A new id: callers see it, and cannot count denials by it. */
  public static String newId() {
    byte[] bytes = new byte[Long.BYTES];
    RANDOM.nextBytes(bytes);
    long random = ByteBuffer.wrap(bytes).getLong();
    char[] id = new char[ID_LENGTH];
    for (int i = 0; i < ID_LENGTH; i++) {
      id[i] = DIGITS[(int) (random >>> (BITS * i)) & (DIGITS.length - 1)];
    }
    return new String(id);
  }

  /**
   * Whether a denial of a key is to be remembered now: not if that pushes out another one of the last ten seconds. A
   * tenant with few denials is remembered all the same, beside tenants with many.
   */
  public boolean accepts(SubjectName key, long nowNanos) {
    return acceptsFrom(key, nowNanos) <= nowNanos;
  }

  /** The time from which on a denial of a key is to be remembered, as far as it is known: now or within ten seconds. */
  public long acceptsFrom(SubjectName key, long nowNanos) {
    Map<String, Denial> ofTenant = ofTenants.getOrDefault(key.tenant(), Map.of());
    long from = hasRoomFrom(ofTenant, MOST_OF_TENANT, nowNanos);
    if (ofTenant.size() >= MOST_OF_QUIET_TENANT) {
      from = Math.max(from, hasRoomFrom(all, MOST, nowNanos));
    }
    ArrayDeque<Denial> own = ofKeys.get(key);
    return own == null || own.size() < MOST_OF_KEY_IN_TEN_SECONDS
        ? from
        : Math.max(from, firstOfLast(own).event().atNanos() + STAYS_NANOS);
  }

  // Without a stream: a flood of one key asks for it with each request.
  private static Denial firstOfLast(ArrayDeque<Denial> own) {
    Iterator<Denial> newest = own.descendingIterator();
    for (int i = 1; i < MOST_OF_KEY_IN_TEN_SECONDS; i++) {
      newest.next();
    }
    return newest.next();
  }

  private static long hasRoomFrom(Map<String, Denial> denials, int most, long nowNanos) {
    return denials.size() < most ? nowNanos : oldest(denials).event().atNanos() + STAYS_NANOS;
  }

  /** Remembers a denial. */
  public void add(Denial denial) {
    SubjectName who = denial.asked().who();
    ArrayDeque<Denial> own = ofKeys.computeIfAbsent(who, name -> new ArrayDeque<>());
    Map<String, Denial> ofTenant =
        ofTenants.computeIfAbsent(who.tenant(), name -> new LinkedHashMap<>());
    all.put(denial.event().id(), denial);
    ofTenant.put(denial.event().id(), denial);
    own.addLast(denial);
    if (own.size() > MOST_OF_KEY) {
      remove(own.getFirst());
    }
    if (ofTenant.size() > MOST_OF_TENANT) {
      remove(oldest(ofTenant));
    }
    if (all.size() > MOST) {
      remove(oldest(all));
    }
    forget(denial.event().atNanos() - LIVES_NANOS);
  }

  /** The requested denials, the newest first. */
  public List<Denial> find(DenialQuery asked, long nowNanos) {
    forget(nowNanos - LIVES_NANOS);
    List<Denial> found =
        new ArrayList<>(candidates(asked).filter(asked::matches).toList());
    Collections.reverse(found);
    return found.stream().limit(asked.most()).toList();
  }

  private Stream<Denial> candidates(DenialQuery asked) {
    if (asked.id().isPresent()) {
      return Stream.ofNullable(all.get(asked.id().get()));
    }
    return all.values().stream();
  }

  private void forget(long beforeNanos) {
    while (!all.isEmpty() && oldest(all).event().atNanos() - beforeNanos < 0) {
      remove(oldest(all));
    }
  }

  private static Denial oldest(Map<String, Denial> denials) {
    return denials.values().iterator().next();
  }

  private void remove(Denial denial) {
    SubjectName who = denial.asked().who();
    all.remove(denial.event().id());
    Map<String, Denial> ofTenant = ofTenants.getOrDefault(who.tenant(), Map.of());
    if (!ofTenant.isEmpty()) {
      ofTenant.remove(denial.event().id());
    }
    if (ofTenant.isEmpty()) {
      ofTenants.remove(who.tenant());
    }
    // The oldest of all, or of a tenant, is the oldest of its key, too.
    ArrayDeque<Denial> own = ofKeys.get(who);
    if (own != null) {
      own.pollFirst();
      if (own.isEmpty()) {
        ofKeys.remove(who);
      }
    }
  }
}
