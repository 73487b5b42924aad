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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Callers that show a certificate. */
@Tag("jdk")
final class ClientCertificateIT {
  private static final String POLICY = """
      operations:
        - { name: Ask, match: { path: /ask }, identity: [clientCertificate] }
        - { name: Open, match: { path: /open } }
      buckets:
        - { name: many, burstPeriod: 10, throttleGroups: [{ opsPerSec: 1000, operations: [Ask, Open] }] }
      upstream: { url: "http://127.0.0.1:UPSTREAM" }
      identity:
        clientCertificate: { tenant: machines }
        anonymous: { tenant: public }
      """;

  private static final Vertx VERTX = Vertx.vertx();
  private static final TestCertificate SERVER = TestCertificate.of("localhost");
  private static final TestCertificate CALLER = TestCertificate.of("robot-7");
  private static final TestCertificate NAMELESS = TestCertificate.named("O=machines");
  private static final TestCertificate STRANGER = TestCertificate.of("robot-7");
  private static NodeFixture fixture;

  @BeforeAll
  static void start(@TempDir Path folder) throws IOException {
    Path authorities = Files.writeString(
        folder.resolve("authorities.pem"),
        Files.readString(CALLER.certificate()) + Files.readString(NAMELESS.certificate()));
    fixture = NodeFixture.withTls(
        POLICY, new Tls(SERVER.certificate(), SERVER.key(), Optional.of(authorities)));
    for (String path : List.of("/ask", "/open")) {
      fixture.upstreamAnswers(
          path,
          request -> request
              .response()
              .end(request.getHeader("X-Weir-Subject") + " " + request.getHeader("X-Weir-Tenant")));
    }
  }

  @AfterAll
  static void stop() throws Exception {
    fixture.close();
    VERTX.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    SERVER.close();
    CALLER.close();
    NAMELESS.close();
    STRANGER.close();
  }

  private static String ask(String path, Optional<TestCertificate> shown) throws Exception {
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
          .request(HttpMethod.GET, fixture.uri("/ask").getPort(), "127.0.0.1", path)
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
    assertThat(ask("/ask", Optional.of(CALLER))).isEqualTo("200 cert:robot-7 machines");
  }

  @Test
  void aCallerWithoutACertificateHasNoIdentity() throws Exception {
    assertThat(ask("/ask", Optional.empty())).startsWith("401 ").contains("key_missing");
  }

  @Test
  void aCertificateWithoutANameMakesNobodyAnonymous() throws Exception {
    assertThat(ask("/open", Optional.empty())).isEqualTo("200 ip:127.0.0.1 public");
    assertThat(ask("/open", Optional.of(CALLER))).isEqualTo("200 cert:robot-7 machines");
    for (String path : List.of("/ask", "/open")) {
      assertThat(ask(path, Optional.of(NAMELESS))).startsWith("401 ").contains("subject_invalid");
    }
  }

  @Test
  void aCertificateOfAnotherAuthorityEndsTheConnection() {
    assertThatThrownBy(() -> ask("/ask", Optional.of(STRANGER))).isNotNull();
  }
}
