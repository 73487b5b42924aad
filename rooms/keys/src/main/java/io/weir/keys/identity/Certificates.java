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
  private Certificates() {}

  /** The common name of the caller's certificate, if it has shown one. */
  static Optional<String> commonName(HttpServerRequest request) {
    if (!request.isSSL()) {
      return Optional.empty();
    }
    try {
      for (Certificate certificate : request.connection().peerCertificates()) {
        return certificate instanceof X509Certificate x509
            ? commonName(x509.getSubjectX500Principal().getName())
            : Optional.empty();
      }
    } catch (SSLPeerUnverifiedException e) {
      return Optional.empty();
    }
    return Optional.empty();
  }

  private static Optional<String> commonName(String name) {
    try {
      return new LdapName(name)
          .getRdns().stream()
              .filter(rdn -> rdn.getType().equalsIgnoreCase("CN"))
              .map(Rdn::getValue)
              .map(String::valueOf)
              .findFirst();
    } catch (InvalidNameException e) {
      return Optional.empty();
    }
  }
}
