package io.weir.node.envoy;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.CallOptions;
import io.grpc.ClientInterceptors;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.vertx.core.buffer.Buffer;
import io.weir.node.config.Tls;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import io.weir.testkit.FreePorts;
import io.weir.testkit.Histories;
import io.weir.testkit.RedisProcess;
import io.weir.testkit.TestCertificate;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A client of gRPC at the port for Envoy, in place of Envoy. */
final class EnvoyIT {
  private static final String LIMITS =
      "envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
  private static final String HEALTH = "grpc.health.v1.Health/Check";
  // By the hour, so that nothing drains during a test.
  private static final String POLICY = """
      operations:
        - { name: Search, match: { method: GET, path: /search }, cost: 2 }
        - { name: Export, match: { method: GET, path: /export } }
      buckets:
        - { name: searches, burstPeriod: 3600, throttleGroups: [{ rate: 10/h, operations: [Search] }] }
        - { name: all, scope: tenant, burstPeriod: 3600, throttleGroups: [{ rate: 100/h, operations: [Search] }] }
      permits:
        - { name: exports, limit: 1, lease: 60s, operations: [Export] }
      envoy:
        edge:
          rules:
            - { match: [{ key: address }], requests: 5, per: hour, name: address }
            - { match: [{ key: path }], requests: 3, per: day }
            - { match: [{ key: path, value: /free }], unlimited: true }
            - { match: [{ key: path, value: /never }], requests: 0, per: day }
            - { match: [{ key: account }], requests: 4, per: month, override: true }
            - { match: [{ key: tried }], requests: 1, per: hour, mode: audit }
            - { match: [{ key: tokens }], requests: 10, per: hour, afterwards: true }
            - { match: [{ key: monthly }], requests: 10, per: month, afterwards: true }
            - { match: [{ key: model }], requests: 2, per: hour, mode: quota, name: model }
            - { match: [{ key: other }], requests: 3, per: hour, mode: quota, name: other }
            - { match: [{ key: divided }], requests: 1, per: day, divided: true }
            - { match: [{ key: vip }], requests: 50, per: hour, replaces: [address, replaced] }
            - { match: [{ key: user }, { key: op, value: search }], subject: user, operation: Search }
            - { match: [{ key: user }, { key: op, value: export }], subject: user, operation: Export }
            - { match: [{ key: user }, { key: op, value: replaced }], subject: user, operation: Search, name: replaced }
      subjects:
      """
      + TestPolicies.subject("k1", "")
      + TestPolicies.subject("k2", "")
      + TestPolicies.subject("k3", ", frozen: true");

  private static int port;
  private static NodeFixture fixture;
  private static ManagedChannel channel;

  @BeforeAll
  static void start() {
    port = FreePorts.one();
    fixture = NodeFixture.withEnvoy(POLICY, port, Optional.empty());
    channel = plaintext();
  }

  @AfterAll
  static void stop() throws InterruptedException {
    channel.shutdownNow();
    assertThat(channel.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    fixture.close();
  }

  @Test
  void aDescriptorIsLimitedAndDeniedWithItsOwnTime() {
    for (int left = 4; left >= 0; left--) {
      EnvoyAnswer answer = ask(descriptor("address=1.1"));
      assertThat(answer.isOver()).isFalse();
      assertThat(answer.status(0)).containsEntry("remaining", (long) left);
      assertThat(answer.headers()).containsEntry("RateLimit-Policy", "\"address\";q=5;w=3600");
    }
    EnvoyAnswer denied = ask(descriptor("address=1.1"));
    assertThat(denied.isOver()).isTrue();
    assertThat(denied.status(0))
        .containsEntry("code", 2L)
        .containsEntry("requests", 5L)
        .containsEntry("unit", 3L);
    // A fifth of an hour, and a bin of its calendar at most.
    long seconds = requireNonNull(denied.status(0).get("seconds"));
    assertThat(seconds).isBetween(690L, 900L);
    assertThat(denied.headers()).containsKeys("Retry-After", "Retry-After-Ms");
    assertThat(Long.parseLong(requireNonNull(denied.headers().get("Retry-After"))))
        .isBetween(seconds, seconds + 1);
    assertThat(denied.full()).containsExactly("address");
    assertThat(ask(descriptor("address=1.2")).isOver()).isFalse();
  }

  @Test
  void allDescriptorsAreChargedOrNone() {
    for (int i = 0; i < 3; i++) {
      assertThat(ask(descriptor("address=2.1"), descriptor("path=/two")).isOver())
          .isFalse();
    }
    EnvoyAnswer denied = ask(descriptor("address=2.1"), descriptor("path=/two"));
    assertThat(denied.isOver()).isTrue();
    assertThat(denied.status(0)).containsEntry("code", 1L).containsEntry("remaining", 2L);
    assertThat(denied.status(1)).containsEntry("code", 2L).containsEntry("remaining", 0L);
    assertThat(denied.full()).containsExactly("path");
    assertThat(ask(descriptor("address=2.1")).status(0)).containsEntry("remaining", 1L);
  }

  @Test
  void hitsAreTheCostAndAnExplicitZeroOnlyLooks() {
    assertThat(ask(4, descriptor("address=3.1")).status(0)).containsEntry("remaining", 1L);
    assertThat(ask(descriptor("address=3.1", 0)).status(0)).containsEntry("remaining", 1L);
    assertThat(ask(descriptor("address=3.1", 1)).isOver()).isFalse();
    // One of the descriptors looks, and would be denied: the other is not charged.
    EnvoyAnswer looked = ask(descriptor("address=3.1", 0), descriptor("path=/three"));
    assertThat(looked.isOver()).isTrue();
    assertThat(looked.status(1)).containsEntry("remaining", 3L);
    // More than a limit ever has: no time helps.
    EnvoyAnswer never = ask(descriptor("path=/three", 1L << 40));
    assertThat(never.isOver()).isTrue();
    assertThat(never.status(0)).doesNotContainKey("seconds");
    // Equal descriptors are one.
    assertThat(ask(2, descriptor("path=/three"), descriptor("path=/three")).isOver())
        .isTrue();
    assertThat(ask(descriptor("path=/three"), descriptor("path=/three")).status(1))
        .containsEntry("remaining", 1L);
  }

  @Test
  void aSubjectOfThePolicyHasOneLimitHereAndAtOtherDoors() {
    EnvoyAnswer first = ask(descriptor("user=k1,op=search"));
    assertThat(first.isOver()).isFalse();
    assertThat(first.status(0)).containsEntry("remaining", 4L).doesNotContainKey("requests");
    String check = "{\"key\":\"%s\",\"operation\":\"Search\"}".formatted(TestPolicies.key("k1"));
    for (int i = 0; i < 3; i++) {
      assertThat(fixture.post("/v1/check", check).body()).contains("\"allowed\"");
    }
    assertThat(ask(descriptor("user=k1,op=search", 0)).status(0)).containsEntry("remaining", 1L);
    assertThat(ask(descriptor("user=k1,op=search")).isOver()).isFalse();
    EnvoyAnswer denied = ask(descriptor("user=k1,op=search"));
    assertThat(denied.isOver()).isTrue();
    assertThat(denied.full()).containsExactly("searches");
    assertThat(requireNonNull(denied.status(0).get("seconds"))).isBetween(700L, 900L);
    assertThat(fixture.post("/v1/check", check).body()).contains("\"denied\"");
    // Its hits are the cost in operations, each of which costs what the policy says.
    assertThat(ask(3, descriptor("user=k2,op=search")).status(0)).containsEntry("remaining", 2L);
  }

  @Test
  void aSubjectThatMayNotPassIsOverItsLimit() {
    EnvoyAnswer unknown = ask(descriptor("user=nobody,op=search"), descriptor("address=20.1", 0));
    assertThat(unknown.isOver()).isTrue();
    assertThat(unknown.status(0)).containsEntry("code", 2L).doesNotContainKey("seconds");
    assertThat(unknown.status(1)).containsEntry("code", 1L);
    assertThat(ask(descriptor("address=20.1")).status(0)).containsEntry("remaining", 4L);
    assertThat(ask(descriptor("user=k3,op=search")).isOver()).isTrue();
    assertThat(ask(descriptor("user=nobody,op=unlisted")).isOver()).isFalse();
  }

  @Test
  void aSubjectOfThePolicyIsChargedAlone() {
    Status both = refused(message(1, descriptor("user=k2,op=search"), descriptor("address=21.1")));
    assertThat(both.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(both.getDescription()).contains("no other that takes hits");
    assertThat(
            ask(descriptor("user=k2,op=search", 0), descriptor("address=21.1")).isOver())
        .isFalse();
    assertThat(refused(
                message(1, descriptor("user=k2,op=search", 0), descriptor("user=k1,op=search", 0)))
            .getDescription())
        .contains("one subject");
    // A rule that another one replaces names nobody.
    assertThat(
            ask(descriptor("vip=21.2"), descriptor("user=nobody,op=replaced")).isOver())
        .isFalse();
    assertThat(refused(descriptor("user=k2,op=export")).getDescription()).contains("permits");
    assertThat(refused(refund("user=k2,op=search", 1)).getDescription()).contains("negative hits");
  }

  @Test
  void hitsAfterTheAnswerAreTakenBeyondTheLimit() {
    for (String key : List.of("tokens=a", "monthly=a")) {
      assertThat(ask(descriptor(key, 7)).status(0)).containsEntry("remaining", 3L);
      assertThat(ask(descriptor(key, 0)).isOver()).isFalse();
      // More than is left, and more than the limit: the next look denies.
      EnvoyAnswer over = ask(descriptor(key, 40));
      assertThat(over.isOver()).isTrue();
      assertThat(over.status(0)).containsEntry("remaining", 0L);
      assertThat(ask(descriptor(key, 0)).isOver()).isTrue();
    }
    // 37 above the limit, and room for one: 3.8 hours.
    assertThat(requireNonNull(ask(descriptor("tokens=a", 0)).status(0).get("seconds")))
        .isBetween(13_600L, 13_700L);
    // A look that denies is a denial, and operators find it.
    assertThat(ask(descriptor("tokens=a", 0)).headers()).containsKey("Retry-After");
    assertThat(fixture.get("/metrics").body())
        .containsPattern("throttle_decisions_total\\{.*operation=\"tokens\".*outcome=\"denied\"");
    // It is taken whatever another descriptor says, and the others only if it has room.
    for (int i = 0; i < 5; i++) {
      ask(descriptor("address=9.1"));
    }
    assertThat(ask(descriptor("address=9.1"), descriptor("tokens=b", 4)).isOver())
        .isTrue();
    assertThat(ask(descriptor("tokens=b", 0)).status(0)).containsEntry("remaining", 6L);
    assertThat(ask(descriptor("address=9.2"), descriptor("tokens=a", 1)).isOver())
        .isTrue();
    assertThat(ask(descriptor("address=9.2", 0)).status(0)).containsEntry("remaining", 5L);
  }

  @Test
  void oneLimitInQuotaModeThatHasRoomIsEnough() {
    MessageWriter model = descriptor("model=a");
    MessageWriter other = descriptor("other=a");
    assertThat(ask(model, other).metadata())
        .containsEntry("passed", List.of("model", "other"))
        .doesNotContainKey("full");
    assertThat(ask(model, other).isOver()).isFalse();
    EnvoyAnswer one = ask(model, other);
    assertThat(one.isOver()).isFalse();
    assertThat(one.metadata()).containsEntry("passed", List.of("other"));
    assertThat(one.status(0)).containsEntry("code", 2L);
    assertThat(one.status(1)).containsEntry("code", 1L).containsEntry("remaining", 0L);
    EnvoyAnswer none = ask(model, other, descriptor("address=8.1"));
    assertThat(none.isOver()).isTrue();
    assertThat(none.full()).containsExactlyInAnyOrder("model", "other");
    // Nothing was charged, and where another descriptor denies nothing is.
    assertThat(ask(descriptor("address=8.1", 0)).status(0)).containsEntry("remaining", 5L);
    assertThat(ask(descriptor("other=b"), descriptor("path=/never")).isOver()).isTrue();
    // A refund is no limit with room.
    EnvoyAnswer refunded = ask(model, refund("other=c", 1), descriptor("address=8.1", 4));
    assertThat(refunded.isOver()).isTrue();
    assertThat(ask(descriptor("address=8.1", 0)).status(0)).containsEntry("remaining", 5L);
    assertThat(ask(descriptor("other=b", 0)).status(0)).containsEntry("remaining", 3L);
  }

  @Test
  void negativeHitsAreGivenBackAsFarAsTheyAreInUse() {
    assertThat(ask(descriptor("address=16.1", 5), descriptor("path=/six", 3)).isOver())
        .isFalse();
    EnvoyAnswer back = ask(refund("address=16.1", 2), refund("path=/six", 100));
    assertThat(back.isOver()).isFalse();
    assertThat(back.status(0)).containsEntry("code", 1L).containsEntry("remaining", 2L);
    assertThat(back.status(1)).containsEntry("code", 1L).containsEntry("remaining", 3L);
    assertThat(ask(descriptor("address=16.1", 2)).isOver()).isFalse();
    assertThat(ask(descriptor("address=16.1", 1)).isOver()).isTrue();
    // Still full after it: a refund is never refused.
    assertThat(ask(descriptor("address=16.2", 5)).isOver()).isFalse();
    EnvoyAnswer none = ask(refund("address=16.2", 0), refund("address=16.3", 1));
    assertThat(none.isOver()).isTrue(); // 0 only looks
    // A calendar period, and more than a number holds.
    assertThat(ask(descriptor("account=16", 4), descriptor("path=/most", 3)).isOver())
        .isFalse();
    assertThat(ask(refund("account=16", 1)).status(0)).containsEntry("remaining", 1L);
    assertThat(ask(descriptor("account=16", 1)).isOver()).isFalse();
    assertThat(
            ask(refund("path=/most", Long.MAX_VALUE), refund("path=/most", 1)).status(1))
        .containsEntry("remaining", 3L);
    EnvoyAnswer unused = ask(refund("address=16.3", 1));
    assertThat(unused.isOver()).isFalse();
    assertThat(unused.status(0)).containsEntry("remaining", 5L);
  }

  @Test
  void aDeniedRequestGivesNothingBack() {
    assertThat(ask(descriptor("address=17.1", 5), descriptor("path=/seven", 3)).isOver())
        .isFalse();
    EnvoyAnswer denied = ask(descriptor("address=17.1"), refund("path=/seven", 3));
    assertThat(denied.isOver()).isTrue();
    assertThat(denied.full()).containsExactly("address");
    assertThat(denied.status(1)).containsEntry("code", 1L).containsEntry("remaining", 0L);
    assertThat(ask(descriptor("path=/seven", 0)).isOver()).isTrue();
    // Of equal descriptors the sum counts.
    EnvoyAnswer sum = ask(refund("path=/seven", 3), descriptor("path=/seven", 1));
    assertThat(sum.isOver()).isFalse();
    assertThat(sum.status(0)).containsEntry("remaining", 2L);
  }

  @Test
  void rulesMeanWhatTheySay() {
    EnvoyAnswer free = ask(descriptor("path=/free"), descriptor("unknown=1"));
    assertThat(free.isOver()).isFalse();
    assertThat(free.statuses()).extracting(status -> status.get("code")).containsExactly(1L, 1L);
    assertThat(ask(descriptor("path=/never"), descriptor("address=4.1")).isOver())
        .isTrue();
    assertThat(ask(descriptor("address=4.1")).status(0)).containsEntry("remaining", 4L);
    for (int i = 0; i < 3; i++) {
      assertThat(ask(descriptor("tried=1")).isOver()).isFalse();
    }
    assertThat(ask(5, descriptor("vip=1"), descriptor("address=4.1")).isOver()).isFalse();
    assertThat(ask(descriptor("address=4.1")).status(0)).containsEntry("remaining", 3L);
  }

  @Test
  void aMonthIsCountedAndALimitMayComeWithTheRequest() {
    assertThat(ask(descriptor("account=a")).status(0))
        .containsEntry("unit", 5L)
        .containsEntry("remaining", 3L);
    assertThat(ask(3, descriptor("account=a"), descriptor("address=5.1")).isOver())
        .isFalse();
    EnvoyAnswer denied = ask(descriptor("account=a"), descriptor("address=5.1"));
    assertThat(denied.isOver()).isTrue();
    assertThat(denied.full()).containsExactly("account");
    MessageWriter carried =
        descriptor("account=b").add(2, new MessageWriter().add(1, 2).add(2, 4));
    assertThat(ask(carried).status(0))
        .containsEntry("requests", 2L)
        .containsEntry("unit", 4L)
        .containsEntry("remaining", 1L);
    assertThat(refused(
                descriptor("address=5.2").add(2, new MessageWriter().add(1, 2).add(2, 4)))
            .getDescription())
        .isEqualTo(
            "descriptors[0].limit: rule address takes none (expected: none, or override: true)");
  }

  @Test
  void aTicketIsGivenAndShown() {
    assertThat(ask(5, descriptor("address=6.1")).isOver()).isFalse();
    MessageWriter wanting = descriptor("address=6.1")
        .add(1, new MessageWriter().add(1, "retry_ticket").add(2, "new"));
    String ticket = requireNonNull(ask(wanting).headers().get("Retry-Ticket"));
    MessageWriter showing = descriptor("address=6.1")
        .add(1, new MessageWriter().add(1, "retry_ticket").add(2, ticket));
    assertThat(ask(showing).headers()).containsEntry("Retry-Ticket", ticket);
  }

  @Test
  void whatCannotBeDecidedHasAStatus() {
    assertThat(refused(Buffer.buffer("no message")).getCode())
        .isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(refused(descriptor("divided=1")).getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(refused(
            new MessageWriter().add(1, "nowhere").add(2, descriptor("a=1")).bytes()))
        .extracting(Status::getCode, Status::getDescription)
        .containsExactly(Status.Code.NOT_FOUND, "domain: 'nowhere' is not in the policy");
    assertThat(
            statusOf(() -> call("envoy.service.ratelimit.v2.Other/Ask", Buffer.buffer(), token())))
        .isEqualTo(Status.Code.UNIMPLEMENTED);
    assertThat(statusOf(() -> call(LIMITS, message(1, descriptor("address=7.1")), new Metadata())))
        .isEqualTo(Status.Code.UNAUTHENTICATED);
    byte[] large = new byte[(64 << 10) + 1];
    assertThat(refused(Buffer.buffer(large)).getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
  }

  @Test
  void mutatedMessagesAreAnsweredOrRefused() {
    // No single byte makes a name of another test of these: a mutated message is charged, too.
    byte[] whole =
        message(1, descriptor("address=mutated"), descriptor("path=/mutated")).getBytes();
    Random random = new Random(Histories.firstSeed());
    for (int i = Histories.count(1000, 20_000); i > 0; i--) {
      byte[] bytes = whole.clone();
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      try {
        call(LIMITS, Buffer.buffer(bytes), token());
      } catch (StatusRuntimeException e) {
        assertThat(e.getStatus().getCode())
            .isIn(Status.Code.INVALID_ARGUMENT, Status.Code.NOT_FOUND);
      }
    }
  }

  @Test
  void healthIsServed() {
    assertThat(call(HEALTH, Buffer.buffer(), new Metadata()).getBytes()).containsExactly(8, 1);
    Buffer named =
        new MessageWriter().add(1, LIMITS.substring(0, LIMITS.indexOf('/'))).bytes();
    assertThat(call(HEALTH, named, new Metadata()).getBytes()).containsExactly(8, 1);
    assertThat(statusOf(
            () -> call(HEALTH, new MessageWriter().add(1, "other").bytes(), new Metadata())))
        .isEqualTo(Status.Code.NOT_FOUND);
  }

  @Test
  void strangersHaveSmallMessagesAndTakeNoConnectionFromServices() throws IOException {
    assertThat(statusOf(() -> call(HEALTH, Buffer.buffer(new byte[600]), new Metadata())))
        .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    List<Socket> strangers = new ArrayList<>();
    ManagedChannel service = plaintext();
    ManagedChannel late = plaintext();
    try {
      call(service, LIMITS, message(1, descriptor("address=9.1")), token());
      // More than both event loops keep.
      for (int i = 0; i < 300; i++) {
        strangers.add(beginning());
      }
      call(late, LIMITS, message(1, descriptor("address=9.1")), token());
      assertThat(service.getState(false)).isEqualTo(ConnectivityState.READY);
    } finally {
      service.shutdownNow();
      late.shutdownNow();
      for (Socket stranger : strangers) {
        stranger.close();
      }
    }
  }

  // The preface of HTTP/2 with empty settings (RFC 9113, section 3.4).
  private static Socket beginning() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.getOutputStream().write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII));
    socket.getOutputStream().write(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0});
    return socket;
  }

  private static ManagedChannel plaintext() {
    return NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
  }

  @Test
  void thePortHasTheTlsOfCallers() throws IOException {
    int ownPort = FreePorts.one();
    try (TestCertificate certificate = TestCertificate.of("localhost")) {
      Tls tls = new Tls(certificate.certificate(), certificate.key(), Optional.empty());
      try (NodeFixture secured = NodeFixture.withEnvoy(POLICY, ownPort, Optional.of(tls))) {
        assertThat(secured.node()).isNotNull();
        ManagedChannel own = NettyChannelBuilder.forAddress("localhost", ownPort)
            .sslContext(GrpcSslContexts.forClient()
                .trustManager(certificate.certificate().toFile())
                .build())
            .build();
        try {
          assertThat(
                  EnvoyAnswer.of(call(own, LIMITS, message(1, descriptor("address=9.1")), token()))
                      .isOver())
              .isFalse();
        } finally {
          own.shutdownNow();
        }
      }
    }
  }

  @Test
  void whileRedisIsAwayTheFailureModeOfTheDomainCounts() {
    int ownPort = FreePorts.one();
    String policy = """
        buckets: []
        envoy:
          shared: { failureMode: local, rules: [{ match: [{ key: a }], requests: 1, per: day }, { match: [{ key: b }], requests: 9, per: day }] }
          open: { failureMode: allow, rules: [{ match: [{ key: a }], requests: 1, per: day }] }
          closed: { failureMode: deny, rules: [{ match: [{ key: a }], requests: 1, per: day }, { match: [{ key: tried }], requests: 1, per: day, mode: audit }] }
        """;
    try (RedisProcess redis = RedisProcess.start();
        NodeFixture losing = NodeFixture.withEnvoyLosing(redis.uri(), policy, ownPort)) {
      ManagedChannel own =
          NettyChannelBuilder.forAddress("127.0.0.1", ownPort).usePlaintext().build();
      try {
        assertThat(losing.node()).isNotNull();
        redis.kill();
        EnvoyAnswer open =
            EnvoyAnswer.of(call(own, LIMITS, in("open", descriptor("a=1")), token()));
        assertThat(open.isOver()).isFalse();
        assertThat(open.headers()).containsEntry("Weir-Degraded", "shared-state-away");
        EnvoyAnswer closed =
            EnvoyAnswer.of(call(own, LIMITS, in("closed", descriptor("a=1")), token()));
        assertThat(closed.isOver()).isTrue();
        assertThat(closed.headers())
            .containsEntry("Weir-Degraded", "shared-state-away")
            .containsKey("Retry-After");
        assertThat(EnvoyAnswer.of(call(own, LIMITS, in("closed", descriptor("tried=1")), token()))
                .isOver())
            .isFalse();
        for (MessageWriter asked : List.of(descriptor("a=1", 0), refund("a=1", 1))) {
          EnvoyAnswer looked = EnvoyAnswer.of(call(own, LIMITS, in("open", asked), token()));
          assertThat(looked.isOver()).isFalse();
          assertThat(looked.headers()).containsKey("Weir-Degraded");
          assertThat(EnvoyAnswer.of(call(own, LIMITS, in("closed", asked), token()))
                  .isOver())
              .isTrue();
        }
        EnvoyAnswer shared = EnvoyAnswer.of(
            call(own, LIMITS, in("shared", descriptor("a=1"), descriptor("b=1")), token()));
        assertThat(shared.isOver()).isFalse();
        EnvoyAnswer denied = EnvoyAnswer.of(
            call(own, LIMITS, in("shared", descriptor("a=1"), descriptor("b=1")), token()));
        assertThat(denied.isOver()).isTrue();
        assertThat(denied.headers()).containsKeys("Weir-Degraded", "Retry-After");
      } finally {
        own.shutdownNow();
      }
    }
  }

  private static MessageWriter descriptor(String entries) {
    MessageWriter descriptor = new MessageWriter();
    for (String entry : entries.split(",", -1)) {
      int at = entry.indexOf('=');
      descriptor.add(
          1, new MessageWriter().add(1, entry.substring(0, at)).add(2, entry.substring(at + 1)));
    }
    return descriptor;
  }

  private static MessageWriter descriptor(String entries, long hits) {
    return descriptor(entries).add(3, new MessageWriter().add(1, hits));
  }

  private static MessageWriter refund(String entries, long hits) {
    return descriptor(entries, hits).add(4, 1);
  }

  private static Buffer message(long hits, MessageWriter... descriptors) {
    MessageWriter message = new MessageWriter().add(1, "edge").add(3, hits);
    for (MessageWriter descriptor : descriptors) {
      message.add(2, descriptor);
    }
    return message.bytes();
  }

  private static Buffer in(String domain, MessageWriter... descriptors) {
    MessageWriter message = new MessageWriter().add(1, domain);
    for (MessageWriter descriptor : descriptors) {
      message.add(2, descriptor);
    }
    return message.bytes();
  }

  private static EnvoyAnswer ask(MessageWriter... descriptors) {
    return ask(1, descriptors);
  }

  private static EnvoyAnswer ask(long hits, MessageWriter... descriptors) {
    return EnvoyAnswer.of(call(LIMITS, message(hits, descriptors), token()));
  }

  private static Status refused(MessageWriter descriptor) {
    return refused(message(1, descriptor));
  }

  private static Status refused(Buffer message) {
    try {
      call(LIMITS, message, token());
      throw new AssertionError("no error");
    } catch (StatusRuntimeException e) {
      return e.getStatus();
    }
  }

  private static Status.Code statusOf(Runnable call) {
    try {
      call.run();
      return Status.Code.OK;
    } catch (StatusRuntimeException e) {
      return e.getStatus().getCode();
    }
  }

  private static Metadata token() {
    Metadata metadata = new Metadata();
    metadata.put(
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER),
        "Bearer " + NodeFixture.SERVICE);
    return metadata;
  }

  private static Buffer call(String method, Buffer message, Metadata metadata) {
    return call(channel, method, message, metadata);
  }

  private static Buffer call(ManagedChannel to, String method, Buffer message, Metadata metadata) {
    MethodDescriptor<byte[], byte[]> descriptor = MethodDescriptor.<byte[], byte[]>newBuilder()
        .setType(MethodDescriptor.MethodType.UNARY)
        .setFullMethodName(method)
        .setRequestMarshaller(new Bytes())
        .setResponseMarshaller(new Bytes())
        .build();
    return Buffer.buffer(ClientCalls.blockingUnaryCall(
        ClientInterceptors.intercept(to, MetadataUtils.newAttachHeadersInterceptor(metadata)),
        descriptor,
        CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS),
        message.getBytes()));
  }

  /** Messages as they are. */
  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
