package io.weir.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.weir.node.config.Tls;
import io.weir.node.testing.NodeFixture;
import io.weir.testkit.TestCertificate;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Callers that show a certificate. */
@Tag("jdk")
final class ClientCertificateIT {
  private static final String POLICY = """
      operations:
        - { name: Ask, match: { path: /ask } }
      buckets:
        - { name: many, burstPeriod: 10, throttleGroups: [{ opsPerSec: 1000, operations: [Ask] }] }
      upstream: { url: "http://127.0.0.1:UPSTREAM" }
      identity:
        clientCertificate: { tenant: machines }
      """;

  private static final Vertx VERTX = Vertx.vertx();
  private static final TestCertificate SERVER = TestCertificate.of("localhost");
  private static final TestCertificate CALLER = TestCertificate.of("robot-7");
  private static final TestCertificate STRANGER = TestCertificate.of("robot-7");
  private static NodeFixture fixture;

  @BeforeAll
  static void start() {
    fixture = NodeFixture.withTls(
        POLICY, new Tls(SERVER.certificate(), SERVER.key(), Optional.of(CALLER.certificate())));
    fixture.upstreamAnswers(
        "/ask",
        request -> request
            .response()
            .end(request.getHeader("X-Weir-Subject") + " " + request.getHeader("X-Weir-Tenant")));
  }

  @AfterAll
  static void stop() throws Exception {
    fixture.close();
    VERTX.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    SERVER.close();
    CALLER.close();
    STRANGER.close();
  }

  private static String ask(Optional<TestCertificate> shown) throws Exception {
    HttpClientOptions options = new HttpClientOptions()
        .setSsl(true)
        .setVerifyHost(false)
        .setTrustOptions(new PemTrustOptions().addCertPath(SERVER.certificate().toString()));
    shown.ifPresent(certificate -> options.setKeyCertOptions(new PemKeyCertOptions()
        .setCertPath(certificate.certificate().toString())
        .setKeyPath(certificate.key().toString())));
    // The client is held and closed here: one that nobody holds closes when memory is collected.
    HttpClient client = VERTX.createHttpClient(options);
    try {
      return client
          .request(HttpMethod.GET, fixture.uri("/ask").getPort(), "127.0.0.1", "/ask")
          .compose(HttpClientRequest::send)
          .compose(response -> response.body().map(body -> response.statusCode() + " " + body))
          .toCompletionStage()
          .toCompletableFuture()
          .get(10, TimeUnit.SECONDS);
    } finally {
      client.close();
    }
  }

  @Test
  void theCommonNameIsTheSubject() throws Exception {
    assertThat(ask(Optional.of(CALLER))).isEqualTo("200 cert:robot-7 machines");
  }

  @Test
  void aCallerWithoutACertificateHasNoIdentity() throws Exception {
    assertThat(ask(Optional.empty())).startsWith("401 ").contains("key_missing");
  }

  @Test
  void aCertificateOfAnotherAuthorityEndsTheConnection() {
    assertThatThrownBy(() -> ask(Optional.of(STRANGER))).isNotNull();
  }
}
