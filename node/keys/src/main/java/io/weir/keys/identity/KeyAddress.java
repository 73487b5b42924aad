package io.weir.keys.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.nimbusds.jose.jwk.JWKSet;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.text.ParseException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * The keys of an issuer at an address of http or https. Only the policy says where that is: a redirect is not followed.
 *
 * @param client of this issuer alone: its threads and connections are nobody else's
 */
record KeyAddress(HttpClient client, URI address) implements KeyReading {
  /** From the connection to the last byte. */
  static final Duration LONGEST = Duration.ofSeconds(4);

  static KeyAddress of(URI address) {
    HttpClient client = HttpClient.newBuilder()
        .version(Version.HTTP_1_1)
        .followRedirects(Redirect.NEVER)
        .connectTimeout(LONGEST)
        .build();
    return new KeyAddress(client, address);
  }

  @Override
  public CompletableFuture<JWKSet> read() {
    HttpRequest request =
        HttpRequest.newBuilder(address).header("Accept", "application/json").build();
    CompletableFuture<HttpResponse<byte[]>> answer =
        client.sendAsync(request, head -> new BoundedBody(MAX_BYTES));
    return answer
        .copy()
        .orTimeout(LONGEST.toMillis(), TimeUnit.MILLISECONDS)
        .whenComplete((read, error) -> {
          boolean unused = answer.cancel(true); // closes the connection of a slow issuer
        })
        .thenApply(KeyAddress::keys);
  }

  private static JWKSet keys(HttpResponse<byte[]> answer) {
    if (answer.statusCode() != 200) {
      throw new CompletionException(
          new IOException("status %d (expected: 200)".formatted(answer.statusCode())));
    }
    try {
      return JWKSet.parse(new String(answer.body(), UTF_8));
    } catch (ParseException e) {
      throw new CompletionException(e);
    }
  }
}
