package io.weir.state.wire;

import java.security.SecureRandom;
import java.util.Base64;

/** Ids that cannot be guessed, for tickets and holds. */
public final class RandomId {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int BYTES = 16;

  private RandomId() {}

  /** A random id of 128 bits. */
  public static String next() {
    byte[] bytes = new byte[BYTES];
    RANDOM.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
