package io.weir.providers.store;

/** The statuses of the scripts of providers, as of {@link io.weir.state.wire.Statuses}. */
final class ProviderStatuses {
  private ProviderStatuses() {}

  /** The statuses of {@code book.lua}, for each request. */
  enum Book {
    BOOKED,
    LATER,
    FULL,
    OPEN,
    NOT_ASKED
  }
}
