package io.weir.node.envoy;

import io.vertx.core.buffer.Buffer;
import io.weir.node.envoy.rule.Entry;
import io.weir.node.envoy.rule.EnvoyBounds;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Reports of Envoy on several buckets: {@code envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports}. Unknown
 * fields are left out, as the protocol demands. The values of a bucket are those of a request, so none of them fails the
 * message.
 *
 * @param domain empty if it is that of the message before
 */
record UsageMessage(String domain, List<BucketUsage> usages) {

  /**
   * The report on one bucket.
   *
   * @param id the bucket as a message
   * @param bucket its entries, by key; none if they cannot be read, or are too many or too long
   * @param requests since the report before, admitted or denied
   * @param isNew whether there was no report before
   */
  record BucketUsage(Buffer id, List<Entry> bucket, long requests, boolean isNew) {}

  /** Reads a message; throws {@link GrpcException} if it is none, or has no meaning. */
  static UsageMessage read(Buffer message) {
    MessageReader reader = MessageReader.of(message);
    String domain = "";
    List<BucketUsage> usages = new ArrayList<>();
    Set<List<Entry>> buckets = new HashSet<>();
    while (reader.hasNext()) {
      switch (reader.field()) {
        case 1 -> domain = reader.text(EnvoyBounds.DOMAIN, "domain");
        case 2 -> {
          BucketUsage usage = usage(reader.message());
          if (!usage.bucket().isEmpty() && !buckets.add(usage.bucket())) {
            throw GrpcException.invalid("bucket_quota_usages: a bucket twice (expected: once)");
          }
          usages.add(usage);
        }
        default -> reader.skip();
      }
    }
    return new UsageMessage(domain, usages);
  }

  private static BucketUsage usage(MessageReader reader) {
    Map<String, String> bucket = new TreeMap<>();
    Buffer id = Buffer.buffer();
    long requests = 0;
    boolean isNew = true;
    while (reader.hasNext()) {
      switch (reader.field()) {
        case 1 -> {
          MessageReader read = reader.message();
          id = read.rest();
          readBucket(read, bucket);
        }
        case 2 -> isNew = isZero(reader.message());
        case 3, 4 -> requests = sum(requests, reader.number());
        default -> reader.skip();
      }
    }
    if (id.length() == 0) {
      throw GrpcException.invalid("bucket_id: no entries (expected: at least one)");
    }
    List<Entry> entries = new ArrayList<>();
    bucket.forEach((key, value) -> entries.add(new Entry(key, value)));
    return new BucketUsage(id, List.copyOf(entries), requests, isNew);
  }

  private static void readBucket(MessageReader reader, Map<String, String> bucket) {
    try {
      while (reader.hasNext() && bucket.size() <= EnvoyBounds.ENTRIES) {
        if (reader.field() == 1) {
          Entry entry = RateLimitRequest.entry(reader.message());
          bucket.put(entry.key(), entry.value());
        } else {
          reader.skip();
        }
      }
    } catch (GrpcException e) {
      bucket.clear(); // a text that is too long, or is none
    }
    if (bucket.size() > EnvoyBounds.ENTRIES) {
      bucket.clear();
    }
  }

  private static boolean isZero(MessageReader duration) {
    boolean isZero = true;
    while (duration.hasNext()) {
      if (duration.field() <= 2) {
        isZero &= duration.number() == 0;
      } else {
        duration.skip();
      }
    }
    return isZero;
  }

  /** The sum of two numbers of 64 bits without a sign: above 63 bits is more than any limit. */
  static long sum(long one, long other) {
    long sum = one + other;
    return other < 0 || sum < 0 ? Long.MAX_VALUE : sum;
  }
}
