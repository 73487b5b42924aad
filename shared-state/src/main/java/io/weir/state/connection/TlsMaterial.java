package io.weir.state.connection;

import io.weir.state.connection.RedisAddress.TlsFiles;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;

/**
 * The trust and the certificate for TLS, read from files.
 *
 * @param trust empty for the trust of the Java platform
 * @param shown empty if this side has no certificate
 */
public record TlsMaterial(Optional<TrustManagerFactory> trust, Optional<KeyManagerFactory> shown) {
  private static final char[] NO_PASSWORD = {};

  /**
   * Reads the files.
   *
   * @throws IllegalArgumentException if a file cannot be read or is invalid; the message names it
   */
  public static TlsMaterial read(TlsFiles files) {
    return new TlsMaterial(
        files.ca().map(TlsMaterial::trust),
        files
            .certificate()
            .flatMap(certificate -> files.key().map(key -> shown(certificate, key))));
  }

  private static TrustManagerFactory trust(Path ca) {
    try {
      KeyStore store = emptyStore();
      for (Certificate certificate : certificates(ca)) {
        store.setCertificateEntry("ca-" + store.size(), certificate);
      }
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(store);
      return factory;
    } catch (GeneralSecurityException | IOException e) {
      throw wrong(ca, "certificates in PEM form", e);
    }
  }

  private static KeyManagerFactory shown(Path certificate, Path key) {
    try {
      KeyStore store = emptyStore();
      Certificate[] chain = certificates(certificate).toArray(Certificate[]::new);
      store.setKeyEntry(
          "weir", privateKey(key, chain[0].getPublicKey().getAlgorithm()), NO_PASSWORD, chain);
      KeyManagerFactory factory =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      factory.init(store, NO_PASSWORD);
      return factory;
    } catch (GeneralSecurityException | IOException e) {
      throw wrong(certificate, "certificates in PEM form, and of the key " + key, e);
    }
  }

  private static Collection<? extends Certificate> certificates(Path file)
      throws IOException, GeneralSecurityException {
    Collection<? extends Certificate> found = CertificateFactory.getInstance("X.509")
        .generateCertificates(new ByteArrayInputStream(Files.readAllBytes(file)));
    if (found.isEmpty()) {
      throw new GeneralSecurityException("no certificate");
    }
    return found;
  }

  private static PrivateKey privateKey(Path file, String algorithm) throws IOException {
    String text = Files.readString(file, StandardCharsets.US_ASCII);
    String base64 = text.replaceAll("-----(BEGIN|END) PRIVATE KEY-----", "").replaceAll("\\s", "");
    try {
      return KeyFactory.getInstance(algorithm)
          .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(base64)));
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      // The cause may contain a part of the key.
      throw new IllegalArgumentException(
          "the file %s (expected: a private key in PEM form, PKCS#8, not encrypted)"
              .formatted(file));
    }
  }

  private static KeyStore emptyStore() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, NO_PASSWORD);
    return store;
  }

  private static IllegalArgumentException wrong(Path file, String expected, Exception cause) {
    return new IllegalArgumentException(
        "the file %s: %s (expected: %s)".formatted(file, cause.getMessage(), expected), cause);
  }
}
