package io.weir.keys.identity;

import com.nimbusds.jose.jwk.JWKSet;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Reads the keys of an issuer. */
interface KeyReading {
  int MAX_BYTES = 512 << 10;

  /** The form of addresses, and of some more. */
  String ADDRESS = "(https?://[!-~]+|file:/[!-~]+)";

  int MAX_PORT = 65_535;

  /** Reads them once. Never blocks; ends within some seconds, however slow the place is. */
  CompletableFuture<JWKSet> read();

  /** The address in a text; empty if nothing can ever be read there. */
  static Optional<URI> address(String text) {
    try {
      URI address = new URI(text);
      boolean isReadable = "file".equals(address.getScheme())
          ? Path.of(address).isAbsolute()
          : address.getHost() != null && address.getPort() <= MAX_PORT;
      return Optional.of(address).filter(known -> isReadable && text.matches(ADDRESS));
    } catch (URISyntaxException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
