package io.weir.node.envoy;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.vertx.core.buffer.Buffer;
import io.weir.node.testing.TestPolicies;
import io.weir.testkit.Histories;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The rules of the policy, as a client of gRPC in place of Envoy meets them. */
final class EnvoyIT extends EnvoyCaller {
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
}
