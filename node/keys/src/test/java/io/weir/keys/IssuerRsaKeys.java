package io.weir.keys;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;

/**
 * Two RSA keys, made once for the tests of this JVM: the search for their primes takes longer than a test that signs
 * with them.
 */
public final class IssuerRsaKeys {
  private static final RSAKey ISSUER = generated();
  private static final RSAKey STRANGER = generated();

  private IssuerRsaKeys() {}

  /** The key of an issuer, under this identifier. */
  public static RSAKey issuer(String keyId) {
    return new RSAKey.Builder(ISSUER).keyID(keyId).build();
  }

  /** Another key, which a test adds to those of the issuer or withholds from them. */
  public static RSAKey stranger(String keyId) {
    return new RSAKey.Builder(STRANGER).keyID(keyId).build();
  }

  private static RSAKey generated() {
    try {
      return new RSAKeyGenerator(2048).generate();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }
}
