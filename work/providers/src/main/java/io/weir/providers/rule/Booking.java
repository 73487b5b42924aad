package io.weir.providers.rule;

import java.util.List;
import java.util.Map;

/** The answer to a request for a provider. */
public sealed interface Booking {
  /**
   * The request may be sent.
   *
   * @param delayMicros the time until it may be sent
   * @param isProbe whether it is the probe of a provider whose breaker is open
   */
  record Booked(String provider, String key, long delayMicros, boolean isProbe)
      implements Booking {}

  /** No slot is near enough; one may be free after {@code waitMicros}. */
  record Later(long waitMicros) implements Booking {}

  /** Too many requests are in flight. */
  record Full() implements Booking {}

  /** The breakers of all providers are open; one is probed after {@code waitMicros}. */
  record Open(long waitMicros) implements Booking {}

  /** An earlier request of its group was not booked, so this one was not tried. */
  record NotAsked() implements Booking {}

  /**
   * A request for a slot and a permit.
   *
   * @param id without blanks and commas
   * @param group of the request's operation
   * @param patienceMicros how far ahead a slot may be
   * @param before the providers and keys that it was sent to, {@code provider/key}; {@code !provider/key} if the key was
   *     refused: then another key of the provider is as good as another provider
   * @param mayProbe whether it is sent again if a provider fails: such requests try providers whose breaker is open
   *     first
   */
  record Asking(
      String id, String group, long patienceMicros, List<String> before, boolean mayProbe) {
    public Asking {
      before = List.copyOf(before);
    }
  }

  /**
   * A request that has ended.
   *
   * @param id empty for a lesson alone; otherwise the lesson counts once, if the request was held
   * @param provider empty if it is unknown whether the request was booked
   */
  record End(String id, String provider, Lesson lesson) {
    /** The end of a request for which it is unknown whether it was booked. */
    public static End unknown(String id) {
      return new End(id, "", Lesson.NONE);
    }
  }

  /**
   * The answer of the shared state.
   *
   * @param held for each end, whether the request was held
   * @param bookings for each request
   * @param inflight requests in flight, of all nodes
   * @param limit the present limit of requests in flight
   * @param open providers whose breaker is open, by name: true if a probe is in flight
   */
  record BookingAnswer(
      List<Boolean> held,
      List<Booking> bookings,
      int inflight,
      int limit,
      Map<String, Boolean> open) {
    public BookingAnswer {
      held = List.copyOf(held);
      bookings = List.copyOf(bookings);
      open = Map.copyOf(open);
    }
  }

  /**
   * The result of one attempt, for all nodes.
   *
   * @param scope the target of the cooldown: a key, {@code key/group}, or empty for the provider
   * @param coolMicros the length of the cooldown, 0 for none
   * @param openMicros how long the breaker is open, 0 if it is not opened
   * @param probe good, bad, unknown, or empty if it was no probe; well if a health check closes a breaker whose time is
   *     over
   * @param sampleMicros the time that a good answer took, -1 for an error, 0 for no sample
   * @param loadThousandths the load reported by the provider, -1 if it reports none
   */
  record Lesson(
      String scope,
      long coolMicros,
      long openMicros,
      String probe,
      long sampleMicros,
      int loadThousandths) {
    /** No lesson. */
    public static final Lesson NONE = of("", 0, 0, "");

    /** A lesson without a response time or a load. */
    public static Lesson of(String scope, long coolMicros, long openMicros, String probe) {
      return new Lesson(scope, coolMicros, openMicros, probe, 0, -1);
    }
  }
}
