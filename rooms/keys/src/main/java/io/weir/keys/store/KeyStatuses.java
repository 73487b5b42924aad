package io.weir.keys.store;

/** The statuses of the scripts of keys, as of {@link io.weir.state.wire.Statuses}. */
final class KeyStatuses {
  private KeyStatuses() {}

  /** Of {@code key_put.lua}. */
  enum KeyPut {
    DONE,
    CHANGED
  }

  /** Of {@code key_name.lua}. */
  enum KeyName {
    DONE,
    TAKEN
  }

  /** Of {@code key_changes.lua}. */
  enum KeyChanges {
    CHANGED,
    LOST
  }
}
