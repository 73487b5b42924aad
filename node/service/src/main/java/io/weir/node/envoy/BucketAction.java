package io.weir.node.envoy;

import io.vertx.core.buffer.Buffer;
import io.weir.core.assignment.Assignment;
import io.weir.core.assignment.DividedLimit;
import io.weir.node.envoy.rule.Entry;
import java.util.List;
import java.util.Optional;

/**
 * The action of Envoy on one bucket, as a part of {@code envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse}.
 *
 * @param bucket its id, as a message
 * @param strategy how it limits the bucket for {@link Assignment#LASTS}; empty to abandon the bucket
 */
record BucketAction(Buffer bucket, Optional<MessageWriter> strategy) {
  private static final int BLANKET_RULE = 1;
  private static final int TOKEN_BUCKET = 3;
  private static final int ALLOW_ALL = 0;
  private static final int DENY_ALL = 1;

  /** Everything passes. */
  static BucketAction allowAll(List<Entry> bucket) {
    return blanket(bucket, ALLOW_ALL);
  }

  /** Nothing passes. */
  static BucketAction denyAll(List<Entry> bucket) {
    return blanket(bucket, DENY_ALL);
  }

  private static BucketAction blanket(List<Entry> bucket, int rule) {
    return new BucketAction(
        id(bucket), Optional.of(new MessageWriter().addChoice(BLANKET_RULE, rule)));
  }

  /** Envoy forgets the bucket, and reports it again with the next request. */
  static BucketAction abandoned(Buffer bucket) {
    return new BucketAction(bucket, Optional.empty());
  }

  /** An assignment passes. */
  static BucketAction of(List<Entry> bucket, DividedLimit limit, Assignment assignment) {
    if (assignment.isAbandoned()) {
      return abandoned(id(bucket));
    }
    if (assignment.rate() == 0) {
      return denyAll(bucket);
    }
    MessageWriter tokens = new MessageWriter()
        .add(1, limit.tokens(assignment.burst()))
        .add(2, new MessageWriter().add(1, limit.tokensPerFill(assignment.rate())))
        .add(3, new MessageWriter().add(1, limit.fillSeconds()));
    return new BucketAction(id(bucket), Optional.of(new MessageWriter().add(TOKEN_BUCKET, tokens)));
  }

  /** Adds the action to a message of several. */
  void addTo(MessageWriter actions) {
    actions.add(1, message());
  }

  private static Buffer id(List<Entry> bucket) {
    MessageWriter id = new MessageWriter();
    bucket.forEach(
        entry -> id.add(1, new MessageWriter().add(1, entry.key()).add(2, entry.value())));
    return id.bytes();
  }

  private MessageWriter message() {
    MessageWriter message = new MessageWriter().add(1, bucket);
    return strategy
        .map(one -> message.add(
            2,
            new MessageWriter()
                .add(2, new MessageWriter().add(1, Assignment.LASTS.toSeconds()))
                .add(3, one)))
        .orElseGet(() -> message.add(3, new MessageWriter()));
  }
}
