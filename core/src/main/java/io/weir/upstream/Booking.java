package io.weir.upstream;

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

  /**
   * What one attempt tells all nodes about a provider.
   *
   * @param scope what is left alone: a key, {@code key/group}, or empty for the provider
   * @param coolMicros for how long, 0 for nothing
   * @param openMicros for how long its breaker is open, 0 for not at all
   * @param probe good, bad, unknown, or empty where it was none
   */
  record Lesson(String scope, long coolMicros, long openMicros, String probe) {
    /** Nothing. */
    public static final Lesson NONE = new Lesson("", 0, 0, "");
  }
}
