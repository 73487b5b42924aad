package io.weir.keys.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.nimbusds.jose.jwk.JWKSet;
import io.vertx.core.WorkerExecutor;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.util.concurrent.CompletableFuture;

/** The keys of an issuer in a file. */
record KeyFile(WorkerExecutor workers, URI file) implements KeyReading {
  @Override
  public CompletableFuture<JWKSet> read() {
    return workers.executeBlocking(this::load, false).toCompletionStage().toCompletableFuture();
  }

  private JWKSet load() throws IOException, ParseException {
    try (InputStream in = Files.newInputStream(Path.of(file))) {
      byte[] text = in.readNBytes(MAX_BYTES + 1);
      if (text.length > MAX_BYTES) {
        throw new IOException("longer than %d bytes".formatted(MAX_BYTES));
      }
      return JWKSet.parse(new String(text, UTF_8));
    }
  }
}
