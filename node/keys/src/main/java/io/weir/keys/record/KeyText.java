package io.weir.keys.record;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.weir.core.bucket.Names;
import io.weir.node.auth.KeyPrefix;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.Locale;
import java.util.Optional;
import java.util.zip.CRC32;

/**
 * The text of a key that Weir makes: {@code weir_<id>.<secret><checksum>}. Scanners of secrets know the prefix, and tell
 * a key from other text by the checksum, without asking: six digits to the base 62 of the CRC-32 of everything before.
 *
 * @param id its public part
 * @param secret everything behind the dot
 */
public record KeyText(String id, String secret) {
  /** Each key begins with it. */
  public static final String PREFIX = KeyPrefix.TEXT;

  /** The fewest characters of a key that Weir has not made. */
  public static final int MIN_OPAQUE = 8;

  /** The most characters of a key. */
  public static final int MAX_LENGTH = 512;

  /** 22 digits to the base 62 have 131 bits: nobody guesses them, so that a fast hash is enough. */
  private static final int SECRET_DIGITS = 22;

  private static final int CHECK_DIGITS = 6;
  private static final String DIGITS =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  private static final int ID_DIGITS = 16;
  private static final int ID_BASE = 36;

  /** A new key. */
  public static KeyText make(String id, SecureRandom random) {
    StringBuilder secret = new StringBuilder(SECRET_DIGITS);
    for (int i = 0; i < SECRET_DIGITS; i++) {
      secret.append(DIGITS.charAt(random.nextInt(DIGITS.length())));
    }
    return checked(id, secret.toString());
  }

  /**
   * The key with a given secret.
   *
   * @param bytes at least 16 that nobody else knows; the same bytes give the same key
   */
  public static KeyText of(String id, byte[] bytes) {
    StringBuilder secret = new StringBuilder(SECRET_DIGITS);
    BigInteger number = new BigInteger(1, bytes);
    BigInteger base = BigInteger.valueOf(DIGITS.length());
    for (int i = 0; i < SECRET_DIGITS; i++) {
      secret.append(DIGITS.charAt(number.mod(base).intValue()));
      number = number.divide(base);
    }
    return checked(id, secret.toString());
  }

  /** A new id. */
  public static String newId(SecureRandom random) {
    StringBuilder id = new StringBuilder(1 + ID_DIGITS).append('k');
    for (int i = 0; i < ID_DIGITS; i++) {
      id.append(DIGITS.charAt(random.nextInt(ID_BASE)));
    }
    return id.toString().toLowerCase(Locale.ROOT);
  }

  private static KeyText checked(String id, String secret) {
    return new KeyText(id, secret + checksum(PREFIX + id + "." + secret));
  }

  /** Splits a key into id and secret; empty if it has another form, or a wrong checksum behind the prefix. */
  public static Optional<KeyText> parse(String text) {
    boolean isOurs = text.startsWith(PREFIX);
    int begin = isOurs ? PREFIX.length() : 0;
    int dot = text.indexOf('.', begin);
    if (dot <= begin || dot == text.length() - 1 || text.length() > MAX_LENGTH) {
      return Optional.empty();
    }
    String id = text.substring(begin, dot);
    if (!Names.isId(id) || (isOurs && !hasChecksum(text, dot))) {
      return Optional.empty();
    }
    return Optional.of(new KeyText(id, text.substring(dot + 1)));
  }

  /** Whether a key that Weir has not made may have this text. */
  public static boolean isOpaque(String text) {
    return !text.startsWith(PREFIX) && text.length() >= MIN_OPAQUE && text.length() <= MAX_LENGTH;
  }

  private static boolean hasChecksum(String text, int dot) {
    int end = text.length() - CHECK_DIGITS;
    return end > dot + 1 && text.substring(end).equals(checksum(text.substring(0, end)));
  }

  private static String checksum(String text) {
    CRC32 crc = new CRC32();
    crc.update(text.getBytes(US_ASCII));
    long rest = crc.getValue();
    char[] digits = new char[CHECK_DIGITS];
    for (int i = CHECK_DIGITS - 1; i >= 0; i--) {
      digits[i] = DIGITS.charAt((int) (rest % DIGITS.length()));
      rest /= DIGITS.length();
    }
    return new String(digits);
  }

  /** The whole key. */
  public String text() {
    return PREFIX + id + "." + secret;
  }

  @Override
  public String toString() {
    return id;
  }
}
