package io.weir.node.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.vertx.core.buffer.Buffer;
import io.weir.node.envoy.RateLimitRequest.Descriptor;
import io.weir.node.envoy.rule.Entry;
import io.weir.node.envoy.rule.LimitUnit;
import io.weir.node.envoy.rule.UnitLimit;
import io.weir.testkit.Histories;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Messages of Envoy, and bytes that none would send. */
final class RateLimitRequestTest {
  // domain "edge"; descriptor remote_address=10.0.0.1; hits_addend 3; as encoded by protoc.
  private static final String PLAIN =
      "0a0465646765121c0a1a0a0e72656d6f74655f61646472657373120831302e302e302e311803";

  @Test
  void aRecordedMessageIsRead() {
    RateLimitRequest request = read(PLAIN);
    assertThat(request.domain()).isEqualTo("edge");
    assertThat(request.hits()).isEqualTo(3);
    assertThat(request.descriptors())
        .containsExactly(new Descriptor(
            List.of(new Entry("remote_address", "10.0.0.1")),
            Optional.empty(),
            OptionalLong.empty(),
            false));
  }

  @Test
  void aDescriptorMayCarryALimitAndHits() {
    Buffer message = new MessageWriter()
        .add(1, "edge")
        .add(
            2,
            new MessageWriter()
                .add(1, new MessageWriter().add(1, "a").add(2, "1"))
                .add(1, new MessageWriter().add(1, "retry_ticket").add(2, "new"))
                .add(2, new MessageWriter().add(1, 500).add(2, 7))
                .add(3, new MessageWriter().add(1, 1L << 40)))
        .bytes();
    RateLimitRequest request = RateLimitRequest.read(message);
    assertThat(request.hits()).isEqualTo(1);
    assertThat(request.ticket()).hasValue("new");
    assertThat(request.descriptors())
        .containsExactly(new Descriptor(
            List.of(new Entry("a", "1")),
            Optional.of(new UnitLimit(500, LimitUnit.WEEK)),
            OptionalLong.of(1L << 40),
            false));
  }

  @Test
  void aDescriptorMayGiveItsHitsBack() {
    RateLimitRequest request = read("0a0165 1209 0a05 0a0161 1200 2001 1803");
    assertThat(request.hits()).isEqualTo(3);
    assertThat(request.descriptors()).singleElement().matches(Descriptor::isRefund);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // an explicit 0 of a descriptor only looks, 0 of the request is 1
        "0a0165 1209 0a05 0a0161 1200 1a00 1800 | 1 | 0",
        // 2^64 - 1 is more than any limit
        "0a0165 1214 0a05 0a0161 1200 1a0b 08ffffffffffffffffff01 1805 | 5 | 9223372036854775807",
        // unknown fields of each type are left out
        "0a0165 1207 0a05 0a0161 1200 5005 59 0000000000000000 6203 616263 6d 00000000 | 1 |"
      })
  void hitsAreReadAsTheProtocolSays(String hex, long hits, String ofDescriptor) {
    RateLimitRequest request = read(hex);
    assertThat(request.hits()).isEqualTo(hits);
    OptionalLong expected =
        ofDescriptor == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(ofDescriptor));
    assertThat(request.descriptors().get(0).hits()).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | domain: none",
        "0a0165 | descriptors: none",
        "0a05 65 | longer than its message",
        "0a ffffffffffffffffffff7f | more than 64 bits",
        "0aff | ends within a number",
        "0801 | another type where a text or a message is expected",
        "0a01ff | not UTF-8",
        "4b | a field of type 3",
        "02 00 | a field number out of range",
        "0a0165 1200 61 | ends within a field",
        "0a0165 1206 1204 0805 1008 | limit.unit: 8",
        "0a0165 1204 1202 0805 | limit.unit: 0"
      })
  void whatIsNoMessageOrHasNoMeaningIsAnInvalidArgument(String hex, String message) {
    assertThatThrownBy(() -> read(hex))
        .isInstanceOfSatisfying(
            GrpcException.class, e -> assertThat(e.status()).isEqualTo(GrpcStatus.INVALID_ARGUMENT))
        .hasMessageContaining(message);
  }

  @Test
  void everythingIsBounded() {
    MessageWriter many = new MessageWriter().add(1, "e");
    for (int i = 0; i < 33; i++) {
      many.add(2, new MessageWriter());
    }
    assertThatThrownBy(() -> RateLimitRequest.read(many.bytes()))
        .hasMessage("descriptors: more than 32");
    MessageWriter entries = new MessageWriter();
    for (int i = 0; i < 17; i++) {
      entries.add(1, new MessageWriter().add(1, "k" + i));
    }
    assertThatThrownBy(() -> RateLimitRequest.read(
            new MessageWriter().add(1, "e").add(2, entries).bytes()))
        .hasMessage("entries: more than 16");
    assertThatThrownBy(() ->
            RateLimitRequest.read(new MessageWriter().add(1, "e".repeat(257)).bytes()))
        .hasMessage("domain: 257 bytes (expected: at most 256)");
  }

  @Test
  void mutatedMessagesAreReadOrRefused() {
    Random random = new Random(Histories.firstSeed());
    int messages = Histories.count(50_000, 1_000_000);
    byte[] whole = HexFormat.of().parseHex(PLAIN);
    int read = 0;
    for (int i = 0; i < messages; i++) {
      byte[] bytes = whole.clone();
      for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      int length = random.nextInt(4) == 0 ? random.nextInt(bytes.length + 1) : bytes.length;
      Buffer message = Buffer.buffer(bytes).getBuffer(0, length);
      Throwable refused = catchThrowable(() -> RateLimitRequest.read(message));
      if (refused == null) {
        read++;
      } else {
        assertThat(refused).isInstanceOf(GrpcException.class);
      }
    }
    assertThat(read).isBetween(messages / 200, messages - messages / 200);
  }

  private static RateLimitRequest read(String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
    return RateLimitRequest.read(Buffer.buffer(bytes));
  }
}
