package io.weir.state.wire;

import java.security.SecureRandom;
import java.util.Base64;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/** Ids that cannot be guessed, for tickets and holds. Safe for use by many threads. */
public final class RandomId {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int BYTES = 16;
  private static final int IDS_AT_ONCE = 256;
  private static final int POOLS = 16;
  private static final Base64.Encoder TEXT = Base64.getUrlEncoder().withoutPadding();
  private static final Pool[] ALL = Stream.generate(Pool::new).limit(POOLS).toArray(Pool[]::new);

  private RandomId() {}

  /** A random id of 128 bits. */
  public static String next() {
    byte[] bytes = new byte[BYTES];
    if (!ALL[ThreadLocalRandom.current().nextInt(POOLS)].tryTake(bytes)) {
      RANDOM.nextBytes(bytes);
    }
    return TEXT.encodeToString(bytes);
  }

  /** Random bytes that were made together, as one at a time is five times as expensive; each is used once. */
  private static final class Pool {
    private final ReentrantLock lock = new ReentrantLock();
    private final byte[] made = new byte[BYTES * IDS_AT_ONCE];
    private int used = made.length;

    boolean tryTake(byte[] into) {
      if (!lock.tryLock()) {
        return false;
      }
      try {
        if (used == made.length) {
          RANDOM.nextBytes(made);
          used = 0;
        }
        System.arraycopy(made, used, into, 0, BYTES);
        used += BYTES;
        return true;
      } finally {
        lock.unlock();
      }
    }
  }
}
