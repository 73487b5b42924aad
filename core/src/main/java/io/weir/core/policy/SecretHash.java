package io.weir.core.policy;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The SHA-256 of a secret. Weir's secrets are long and random, so a fast hash is enough: they cannot be guessed
 * (OWASP's slow hashes are for passwords that people choose).
 */
public final class SecretHash {
  private static final int DIGEST_BYTES = 32;
  private static final String PREFIX = "sha256:";
  private static final Pattern FORMAT = Pattern.compile("sha256:[0-9a-fA-F]{64}");

  private final byte[] digest;

  private SecretHash(byte[] digest) {
    this.digest = digest;
  }

  /** The hash of a secret in plain text. */
  public static SecretHash of(String secret) {
    return new SecretHash(sha256(secret));
  }

  /** Whether {@link #parse} accepts the text. */
  public static boolean isFormatted(String text) {
    return FORMAT.matcher(text).matches();
  }

  /**
   * Reads {@code sha256:} and 64 hexadecimal digits.
   *
   * @throws IllegalArgumentException for any other text; the message does not repeat it
   */
  public static SecretHash parse(String text) {
    if (!isFormatted(text)) {
      throw new IllegalArgumentException(
          "secret hash (expected: sha256: and 64 hexadecimal digits)");
    }
    String hex = text.substring(PREFIX.length()).toLowerCase(Locale.ROOT);
    return new SecretHash(HexFormat.of().parseHex(hex));
  }

  /**
   * Reads the digest as 43 characters of base64url (RFC 4648, section 5), without padding.
   *
   * @throws IllegalArgumentException for any other text
   */
  public static SecretHash ofCompact(String text) {
    byte[] digest = Base64.getUrlDecoder().decode(text);
    if (digest.length != DIGEST_BYTES) {
      throw new IllegalArgumentException("secret hash (expected: 32 bytes as base64url)");
    }
    return new SecretHash(digest);
  }

  /** The form that {@link #ofCompact} reads. */
  public String compact() {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
  }

  /** Whether this is the hash of {@code secret}; takes the same time for every result. */
  public boolean matches(String secret) {
    return MessageDigest.isEqual(digest, sha256(secret));
  }

  /** The form that {@link #parse} reads. */
  public String formatted() {
    return PREFIX + HexFormat.of().formatHex(digest);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SecretHash hash && MessageDigest.isEqual(digest, hash.digest);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(digest);
  }

  @Override
  public String toString() {
    return "SecretHash";
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
