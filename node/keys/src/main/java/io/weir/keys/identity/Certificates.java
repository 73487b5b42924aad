package io.weir.keys.identity;

import io.vertx.core.http.HttpServerRequest;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;

/** The names in certificates of callers, which the TLS layer has verified. */
final class Certificates {
  private static final Optional<String> NAMELESS = Optional.of("");

  private Certificates() {}

  /** The common name of the caller's certificate, if it has shown one; an empty text if that has none. */
  static Optional<String> commonName(HttpServerRequest request) {
    if (!request.isSSL()) {
      return Optional.empty();
    }
    try {
      for (Certificate certificate : request.connection().peerCertificates()) {
        return certificate instanceof X509Certificate x509
            ? commonName(x509.getSubjectX500Principal().getName()).or(() -> NAMELESS)
            : NAMELESS;
      }
    } catch (SSLPeerUnverifiedException e) {
      return Optional.empty();
    }
    return Optional.empty();
  }

  /** The common name of the caller in a distinguished name (RFC 2253), where those of its groups may stand, too. */
  static Optional<String> commonName(String name) {
    try {
      return new LdapName(name)
          .getRdns().stream()
              .filter(rdn -> rdn.getType().equalsIgnoreCase("CN"))
              .map(Rdn::getValue)
              // From the root to the leaf: the last one is the caller's own.
              .reduce((before, after) -> after)
              .filter(String.class::isInstance)
              .map(String.class::cast);
    } catch (InvalidNameException e) {
      return Optional.empty();
    }
  }
}
