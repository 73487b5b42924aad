package io.weir.node.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import io.weir.node.testing.NodeFixture;
import io.weir.testkit.FreePorts;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls with deadlines, whose header a client of gRPC would not let a test choose. */
final class EnvoyDeadlineIT {
  private static final String POLICY = """
      buckets: []
      envoy:
        edge:
          rules:
            - { match: [{ key: address }], requests: 1, per: day }
      """;
  private static final String PASSED = "4";
  private static final String TOKEN = "Bearer " + NodeFixture.SERVICE;

  private static int port;
  private static NodeFixture fixture;

  @BeforeAll
  static void start() {
    port = FreePorts.one();
    fixture = NodeFixture.withEnvoy(POLICY, port, Optional.empty());
  }

  @AfterAll
  static void stop() {
    fixture.close();
  }

  @Test
  void aPassedDeadlineIsNotCharged() throws IOException, InterruptedException {
    HttpResponse<byte[]> late = ask("late", "1n");
    assertThat(late.headers().firstValue("grpc-status")).hasValue(PASSED);
    assertThat(late.headers().firstValue("grpc-message").orElse(""))
        .contains("nothing was charged");
    assertThat(isAllowed(ask("late", "1H"))).isTrue();
    assertThat(isAllowed(ask("late", "1H"))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"99999999H", "1M", "60S", "60000m", "60000000u", "soon", "123456789S", ""})
  void anotherDeadlineOrNoneIsInTime(String timeout) throws IOException, InterruptedException {
    assertThat(isAllowed(ask("in-time-" + timeout, timeout))).isTrue();
  }

  private static boolean isAllowed(HttpResponse<byte[]> answer) {
    assertThat(answer.headers().firstValue("grpc-status")).isEmpty(); // it is in the trailers
    Buffer framed = Buffer.buffer(answer.body());
    MessageReader reader = MessageReader.of(framed.slice(5, framed.length()));
    assertThat(reader.field()).isEqualTo(1);
    return reader.number() == 1;
  }

  private static HttpResponse<byte[]> ask(String address, String timeout)
      throws IOException, InterruptedException {
    Buffer message = new MessageWriter()
        .add(1, "edge")
        .add(2, new MessageWriter().add(1, new MessageWriter().add(1, "address").add(2, address)))
        .bytes();
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(
            "http://127.0.0.1:%d/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit"
                .formatted(port)))
        .header("content-type", "application/grpc")
        .header("authorization", TOKEN)
        .POST(BodyPublishers.ofByteArray(Buffer.buffer()
            .appendByte((byte) 0)
            .appendInt(message.length())
            .appendBuffer(message)
            .getBytes()));
    if (!timeout.isEmpty()) {
      request.header("grpc-timeout", timeout);
    }
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_2)
        .build()
        .send(request.build(), BodyHandlers.ofByteArray());
  }
}
