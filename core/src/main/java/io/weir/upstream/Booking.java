package io.weir.upstream;

import java.util.List;
import java.util.Map;

/** What a request that asks for a provider hears. */
public sealed interface Booking {
  /**
   * It may be sent.
   *
   * @param delayMicros in so long
   * @param isProbe whether it is the one that tries a provider whose breaker is open
   */
  record Booked(String provider, String key, long delayMicros, boolean isProbe)
      implements Booking {}

  /** No slot is near; one may be in so long. */
  record Later(long waitMicros) implements Booking {}

  /** Too many are under way. */
  record Full() implements Booking {}

  /** The breakers of all providers are open; one is tried again in so long. */
  record Open(long waitMicros) implements Booking {}

  /** One of its group before it was not booked: it was not asked for. */
  record NotAsked() implements Booking {}

  /**
   * One that asks for a slot and a permit.
   *
   * @param id without blanks and commas
   * @param group of its operation
   * @param patienceMicros how far ahead a slot may be
   * @param before where it was sent to, {@code provider/key}
   * @param mayProbe whether it is sent again if a provider fails it: such requests try providers whose breaker is open first
   */
  record Asking(
      String id, String group, long patienceMicros, List<String> before, boolean mayProbe) {
    public Asking {
      before = List.copyOf(before);
    }
  }

  /**
   * One that is over.
   *
   * @param id empty for a lesson alone; else the lesson counts once, where it was held
   * @param provider empty where nobody knows whether it was booked
   */
  record End(String id, String provider, Lesson lesson) {
    /** One of which nobody knows whether it was booked. */
    public static End unknown(String id) {
      return new End(id, "", Lesson.NONE);
    }
  }

  /**
   * The answer of the shared state.
   *
   * @param held for each that ended, whether it was held
   * @param bookings for each that asked
   * @param inflight requests under way, of all nodes
   * @param limit as many may be now
   * @param open providers whose breaker is open, by name: true where one request tries it now
   */
  record Told(
      List<Boolean> held,
      List<Booking> bookings,
      int inflight,
      int limit,
      Map<String, Boolean> open) {
    public Told {
      held = List.copyOf(held);
      bookings = List.copyOf(bookings);
      open = Map.copyOf(open);
    }
  }

  /**
   * The result of one attempt, for all nodes.
   *
   * @param scope what is left alone: a key, {@code key/group}, or empty for the provider
   * @param coolMicros for how long, 0 for nothing
   * @param openMicros for how long its breaker is open, 0 for not at all
   * @param probe good, bad, unknown, or empty where it was none; well where a health check closes a breaker whose time is over
   * @param sampleMicros how long a good answer took, -1 for an error, 0 where nothing is learned of that
   * @param loadThousandths how busy the provider says it is, -1 where it says nothing
   */
  record Lesson(
      String scope,
      long coolMicros,
      long openMicros,
      String probe,
      long sampleMicros,
      int loadThousandths) {
    /** Nothing. */
    public static final Lesson NONE = of("", 0, 0, "");

    /** Nothing of how long it took, nor of how busy it is. */
    public static Lesson of(String scope, long coolMicros, long openMicros, String probe) {
      return new Lesson(scope, coolMicros, openMicros, probe, 0, -1);
    }
  }
}
