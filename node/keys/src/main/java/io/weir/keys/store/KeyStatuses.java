package io.weir.keys.store;

/** The statuses of the scripts of keys, as of {@link io.weir.state.wire.Statuses}. */
public final class KeyStatuses {
  private KeyStatuses() {}

  /** The statuses of {@code key_put.lua}. */
  enum KeyPut {
    DONE,
    CHANGED,
    UNCERTAIN
  }

  /** The statuses of {@code key_name.lua}. */
  enum KeyName {
    DONE,
    TAKEN,
    UNCERTAIN
  }

  /** The statuses of {@code key_reserve.lua}. */
  enum KeyReserve {
    DONE,
    BUSY
  }

  /** The statuses of {@code key_changes.lua}. */
  public enum KeyChanges {
    /** The list goes on. */
    CHANGED,
    /** There were more changes than are kept. */
    MISSED,
    /** Redis has come back with an older copy of the list. */
    REWOUND,
    /** Redis has another list, or none. */
    LOST
  }

  /** The statuses of {@code key_restore.lua}. */
  enum KeyRestore {
    RESTORED,
    KEPT
  }

  /** The statuses of {@code key_doubt.lua}. */
  enum KeyDoubt {
    FIRST,
    KNOWN
  }
}
