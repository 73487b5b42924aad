package io.weir.operators.warning;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A receiver of webhooks. Immutable.
 *
 * @param secrets by which they are signed: the second one while it is replaced
 */
record Receiver(String name, URI url, List<byte[]> secrets) {
  private static final String ALGORITHM = "HmacSHA256";

  Receiver {
    secrets = List.copyOf(secrets);
    // Loads what signs, before an event loop needs it.
    secrets.forEach(secret -> mac(secret, new byte[0]));
  }

  /**
   * The header {@code webhook-signature} of a message: one signature by each secret (Standard Webhooks 1.0.0, "Verifying
   * webhook authenticity").
   */
  String signature(String id, String timestamp, String body) {
    byte[] signed = (id + "." + timestamp + "." + body).getBytes(StandardCharsets.UTF_8);
    return secrets.stream()
        .map(secret -> "v1," + Base64.getEncoder().encodeToString(mac(secret, signed)))
        .collect(Collectors.joining(" "));
  }

  private static byte[] mac(byte[] secret, byte[] signed) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(secret, ALGORITHM));
      return mac.doFinal(signed);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
    }
  }

  @Override
  public String toString() {
    return name; // no secret, and no address: its path may be one
  }
}
