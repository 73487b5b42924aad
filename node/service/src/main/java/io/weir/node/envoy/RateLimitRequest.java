package io.weir.node.envoy;

import io.vertx.core.buffer.Buffer;
import io.weir.node.envoy.rule.Entry;
import io.weir.node.envoy.rule.EnvoyBounds;
import io.weir.node.envoy.rule.LimitUnit;
import io.weir.node.envoy.rule.UnitLimit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A question of Envoy: {@code envoy.service.ratelimit.v3.RateLimitRequest}. Unknown fields are left out, as the protocol
 * demands.
 *
 * @param hits of descriptors that name none, above 0
 * @param ticket the value of the entry {@link #TICKET}, which is in no descriptor
 */
record RateLimitRequest(
    String domain, List<Descriptor> descriptors, long hits, Optional<String> ticket) {
  /** The key of the entry that has a ticket. */
  static final String TICKET = "retry_ticket";

  /**
   * One descriptor.
   *
   * @param limit that it carries
   * @param hits 0 only looks; empty if it names none
   * @param isRefund whether its hits are given back
   */
  record Descriptor(
      List<Entry> entries, Optional<UnitLimit> limit, OptionalLong hits, boolean isRefund) {}

  /** Reads a message; throws {@link GrpcException} if it is none, or has no meaning. */
  static RateLimitRequest read(Buffer message) {
    MessageReader reader = MessageReader.of(message);
    String domain = "";
    List<Descriptor> descriptors = new ArrayList<>();
    List<String> tickets = new ArrayList<>();
    long hits = 1;
    while (reader.hasNext()) {
      switch (reader.field()) {
        case 1 -> domain = reader.text(EnvoyBounds.DOMAIN, "domain");
        case 2 -> {
          if (descriptors.size() == EnvoyBounds.DESCRIPTORS) {
            throw GrpcException.invalid(
                "descriptors: more than %d".formatted(EnvoyBounds.DESCRIPTORS));
          }
          descriptors.add(descriptor(reader.message(), tickets));
        }
        case 3 -> hits = Math.max(1, reader.number32());
        default -> reader.skip();
      }
    }
    if (domain.isEmpty()) {
      throw GrpcException.invalid("domain: none (expected: one of the policy)");
    }
    if (descriptors.isEmpty()) {
      throw GrpcException.invalid("descriptors: none (expected: at least one)");
    }
    return new RateLimitRequest(domain, descriptors, hits, tickets.stream().findFirst());
  }

  private static Descriptor descriptor(MessageReader reader, List<String> tickets) {
    List<Entry> entries = new ArrayList<>();
    Optional<UnitLimit> limit = Optional.empty();
    OptionalLong hits = OptionalLong.empty();
    boolean isRefund = false;
    while (reader.hasNext()) {
      switch (reader.field()) {
        case 1 -> {
          Entry entry = entry(reader.message());
          if (entry.key().equals(TICKET)) {
            tickets.add(entry.value());
          } else if (entries.size() == EnvoyBounds.ENTRIES) {
            throw GrpcException.invalid("entries: more than %d".formatted(EnvoyBounds.ENTRIES));
          } else {
            entries.add(entry);
          }
        }
        case 2 -> limit = Optional.of(limit(reader.message()));
        case 3 -> hits = OptionalLong.of(wrapped(reader.message()));
        case 4 -> isRefund = reader.flag();
        default -> reader.skip();
      }
    }
    return new Descriptor(List.copyOf(entries), limit, hits, isRefund);
  }

  /** Reads a key and its value. */
  static Entry entry(MessageReader reader) {
    String key = "";
    String value = "";
    while (reader.hasNext()) {
      switch (reader.field()) {
        case 1 -> key = reader.text(EnvoyBounds.KEY, "key");
        case 2 -> value = reader.text(EnvoyBounds.VALUE, "value");
        default -> reader.skip();
      }
    }
    return new Entry(key, value);
  }

  private static UnitLimit limit(MessageReader reader) {
    long requests = 0;
    long unit = 0;
    while (reader.hasNext()) {
      switch (reader.field()) {
        case 1 -> requests = reader.number32();
        case 2 -> unit = reader.number();
        default -> reader.skip();
      }
    }
    long number = unit;
    return new UnitLimit(
        requests,
        LimitUnit.of(unit)
            .orElseThrow(() -> GrpcException.invalid(
                "limit.unit: %d (expected: 1 to 7, second to week)".formatted(number))));
  }

  // 64 bits without a sign: what is above 63 is more than any limit.
  private static long wrapped(MessageReader reader) {
    long value = 0;
    while (reader.hasNext()) {
      if (reader.field() == 1) {
        value = reader.number();
      } else {
        reader.skip();
      }
    }
    return value < 0 ? Long.MAX_VALUE : value;
  }
}
