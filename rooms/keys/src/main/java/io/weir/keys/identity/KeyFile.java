package io.weir.keys.identity;

import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.JWKSetCacheRefreshEvaluator;
import com.nimbusds.jose.jwk.source.JWKSetRetrievalException;
import com.nimbusds.jose.jwk.source.JWKSetSource;
import com.nimbusds.jose.proc.SecurityContext;
import java.io.IOException;
import java.nio.file.Path;
import java.text.ParseException;

/** The keys of an issuer in a file. */
record KeyFile(Path file) implements JWKSetSource<SecurityContext> {
  @Override
  public JWKSet getJWKSet(
      JWKSetCacheRefreshEvaluator evaluator, long currentTime, SecurityContext context)
      throws JWKSetRetrievalException {
    try {
      return JWKSet.load(file.toFile());
    } catch (IOException | ParseException e) {
      throw new JWKSetRetrievalException("the file with keys cannot be read", e);
    }
  }

  @Override
  public void close() {
    // nothing is open
  }
}
