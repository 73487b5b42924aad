package io.weir.node.auth;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The secret of a session, which only the cookie of its browser has. The name of its record, its second secret and the
 * key of its token are derived from it, each by another HMAC (RFC 2104): none of them reveals another. Immutable.
 */
final class SessionSecret {
  private static final int BYTES = 32;
  private static final Pattern FORMAT = Pattern.compile("[\\w-]{43}");
  private static final int NONCE_BYTES = 12;
  private static final int TAG_BITS = 128;

  private final byte[] secret;

  private SessionSecret(byte[] secret) {
    this.secret = secret;
  }

  /** A new one. */
  static SessionSecret make(SecureRandom random) {
    return new SessionSecret(randomBytes(random, BYTES));
  }

  /** Reads the value of a cookie; empty if no node has made it. */
  static Optional<SessionSecret> parse(String text) {
    try {
      return FORMAT.matcher(text).matches()
          ? Optional.of(new SessionSecret(Base64.getUrlDecoder().decode(text)))
          : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** The value of the cookie. */
  String text() {
    return encoded(secret);
  }

  /** The name of its record. */
  String name() {
    return encoded(derived("name"));
  }

  /** The secret that a page must send with each change. */
  String csrf() {
    return encoded(derived("csrf"));
  }

  /** A token, encrypted by AES-GCM. */
  String sealed(String token, SecureRandom random) {
    byte[] nonce = randomBytes(random, NONCE_BYTES);
    try {
      byte[] text = cipher(Cipher.ENCRYPT_MODE, nonce).doFinal(bytes(token));
      byte[] all = Arrays.copyOf(nonce, nonce.length + text.length);
      System.arraycopy(text, 0, all, nonce.length, text.length);
      return encoded(all);
    } catch (GeneralSecurityException e) {
      throw unsupported(e);
    }
  }

  /** The token in clear; empty if it was sealed with another secret, or has been changed. */
  Optional<String> opened(String sealed) {
    try {
      byte[] all = Base64.getUrlDecoder().decode(sealed);
      byte[] nonce = Arrays.copyOf(all, NONCE_BYTES);
      byte[] token =
          cipher(Cipher.DECRYPT_MODE, nonce).doFinal(all, NONCE_BYTES, all.length - NONCE_BYTES);
      return Optional.of(new String(token, StandardCharsets.UTF_8));
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private Cipher cipher(int mode, byte[] nonce) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(
        mode, new SecretKeySpec(derived("token"), "AES"), new GCMParameterSpec(TAG_BITS, nonce));
    return cipher;
  }

  private byte[] derived(String purpose) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret, "HmacSHA256"));
      return mac.doFinal(bytes(purpose));
    } catch (GeneralSecurityException e) {
      throw unsupported(e);
    }
  }

  private static IllegalStateException unsupported(GeneralSecurityException e) {
    return new IllegalStateException("every Java platform has AES/GCM and HmacSHA256", e);
  }

  private static byte[] randomBytes(SecureRandom random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String encoded(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  @Override
  public String toString() {
    return "SessionSecret";
  }
}
