package io.weir.state.policy;

import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.connection.Faults;
import io.weir.state.connection.RedisAddress;
import io.weir.state.wire.RedisKeys;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.redisson.Redisson;
import org.redisson.api.RTopic;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisConnectionException;
import org.redisson.client.RedisException;
import org.redisson.client.RedisTimeoutException;
import org.redisson.client.codec.StringCodec;

/**
 * The topics between the nodes of a cluster: notices about the policy, and questions. Whoever publishes learns how many
 * nodes receive it, on a Redis Cluster, too. Every method waits for Redis, and throws {@link StoreUnavailableException}
 * if it does not answer. Mutable; owned by one {@link ClusterPolicy}.
 */
final class NodeTopics implements AutoCloseable {
  private static final int MAX_MESSAGE = 200;

  private final RedissonClient redisson;
  private final NodeQuestions questions;

  private NodeTopics(RedissonClient redisson, String node) {
    this.redisson = redisson;
    this.questions = new NodeQuestions(redisson, node);
  }

  /**
   * Connects.
   *
   * @param node the name of this node, unique in the cluster
   * @param isLater whether Redis may be unreachable for now
   */
  static NodeTopics connect(RedisAddress address, String node, boolean isLater) {
    return asking(
        () -> new NodeTopics(Redisson.create(RedissonSetup.config(address, isLater)), node));
  }

  /** Questions of this node to all nodes. */
  NodeQuestions questions() {
    return questions;
  }

  /** Publishes a notice; returns the number of receivers, including this node. */
  long publish(Notice notice) {
    return asking(() -> notices().publish(notice.text()));
  }

  /** Answers questions of others from now on, and passes every notice to the listener, on a thread of Redisson. */
  void subscribe(Consumer<Notice> listener) {
    asking(() -> {
      questions.listen();
      return notices()
          .addListener(String.class, (channel, text) -> listener.accept(Notice.parse(text)));
    });
  }

  @Override
  public void close() {
    redisson.shutdown(0, 2, TimeUnit.SECONDS);
  }

  private RTopic notices() {
    return redisson.getTopic(RedisKeys.POLICY_NOTICES, StringCodec.INSTANCE);
  }

  private static <T> T asking(Supplier<T> question) {
    try {
      return question.get();
    } catch (RedisException e) {
      throw new StoreUnavailableException(fault(e), "Redis did not answer: " + summary(e), e);
    }
  }

  private static StoreFault fault(RedisException error) {
    if (error instanceof RedisTimeoutException) {
      return StoreFault.SLOW;
    }
    StoreFault fault = Faults.of(error);
    return fault == StoreFault.MISCONFIGURED && error instanceof RedisConnectionException
        ? StoreFault.UNREACHABLE
        : fault;
  }

  // Redisson's messages repeat the whole command.
  private static String summary(RedisException error) {
    String message = Faults.message(error).lines().findFirst().orElse("");
    return message.length() <= MAX_MESSAGE ? message : message.substring(0, MAX_MESSAGE) + "…";
  }
}
