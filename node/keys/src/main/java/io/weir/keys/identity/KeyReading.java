package io.weir.keys.identity;

import com.nimbusds.jose.jwk.JWKSet;
import java.util.concurrent.CompletableFuture;

/** Where the keys of an issuer are read. */
interface KeyReading {
  int MAX_BYTES = 512 << 10;

  /** Reads them once. Never blocks; ends within some seconds, however slow the place is. */
  CompletableFuture<JWKSet> read();
}
