package io.weir.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.stream.Stream;

/** A key with a self-signed certificate, as files in PEM form. Made by the JDK's keytool. */
public final class TestCertificate implements AutoCloseable {
  private static final String PASSWORD = "for-a-test";

  private final Path directory;

  private TestCertificate(Path directory) {
    this.directory = directory;
  }

  /** Makes a certificate for a host name. */
  public static TestCertificate of(String host) {
    return named("CN=" + host);
  }

  /** Makes a certificate for a distinguished name (RFC 2253). */
  public static TestCertificate named(String name) {
    try {
      TestCertificate made = new TestCertificate(Files.createTempDirectory("weir-tls"));
      made.make(name);
      return made;
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The certificate, which is its own authority. */
  public Path certificate() {
    return directory.resolve("certificate.pem");
  }

  /** Its private key, PKCS#8. */
  public Path key() {
    return directory.resolve("key.pem");
  }

  @Override
  public void close() {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
      Files.delete(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void make(String name) throws IOException, GeneralSecurityException {
    Path store = directory.resolve("store.p12");
    CommandRun made = CommandRun.of(
        Duration.ofSeconds(30),
        Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
        "-genkeypair",
        "-alias",
        "weir",
        "-J-XX:TieredStopAtLevel=1",
        "-keyalg",
        "EC",
        "-groupname",
        "secp256r1",
        "-dname",
        name,
        "-ext",
        "SAN=dns:" + name.substring(name.indexOf('=') + 1),
        "-validity",
        "2",
        "-storetype",
        "PKCS12",
        "-keystore",
        store.toString(),
        "-storepass",
        PASSWORD);
    if (!made.succeeded()) {
      throw new IllegalStateException(made.output());
    }
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    write(key(), "PRIVATE KEY", keys.getKey("weir", PASSWORD.toCharArray()).getEncoded());
    write(certificate(), "CERTIFICATE", keys.getCertificate("weir").getEncoded());
  }

  private static void write(Path file, String what, byte[] bytes) throws IOException {
    String base64 = Base64.getMimeEncoder().encodeToString(bytes);
    Files.writeString(
        file, "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(what, base64, what));
  }
}
