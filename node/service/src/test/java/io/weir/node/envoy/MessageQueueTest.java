package io.weir.node.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.ReadStream;
import io.weir.core.assignment.Assignment;
import io.weir.node.envoy.MessageQueue.Message;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Messages of a stream, by a clock that the test moves. */
final class MessageQueueTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final Source source = new Source();
  private final MessageQueue queue = new MessageQueue(source, 1000);

  /** Knows whether it is paused. */
  private static final class Source implements ReadStream<Buffer> {
    private boolean isPaused;

    @Override
    public Source pause() {
      isPaused = true;
      return this;
    }

    @Override
    public Source resume() {
      isPaused = false;
      return this;
    }

    @Override
    public Source fetch(long amount) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Source handler(@Nullable Handler<Buffer> handler) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Source exceptionHandler(@Nullable Handler<Throwable> handler) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Source endHandler(@Nullable Handler<Void> handler) {
      throw new UnsupportedOperationException();
    }
  }

  private static Buffer messages(int count) {
    Buffer all = Buffer.buffer();
    for (int i = 0; i < count; i++) {
      all.appendByte((byte) 0).appendInt(4).appendInt(i);
    }
    return all;
  }

  private int polled(long now) {
    return queue.poll(now).map(message -> message.content().getInt(0)).orElse(-1);
  }

  @Test
  void messagesAreSplitWhereverTheirBytesAre() {
    Buffer bytes = messages(3);
    for (int i = 0; i < bytes.length(); i++) {
      queue.add(bytes.getBuffer(i, i + 1), 0);
    }
    assertThat(polled(0)).isZero();
    assertThat(polled(0)).isEqualTo(1);
    assertThat(polled(0)).isEqualTo(2);
    assertThat(polled(0)).isEqualTo(-1);
    assertThat(queue.isWithinMessage()).isFalse();
  }

  @Test
  void whatIsNoMessageIsRefused() {
    Buffer compressed = Buffer.buffer().appendByte((byte) 1).appendInt(0);
    assertThatThrownBy(() -> queue.add(compressed, 0)).isInstanceOf(GrpcException.class);
    Buffer large = Buffer.buffer().appendByte((byte) 0).appendInt(1001);
    assertThatThrownBy(() -> new MessageQueue(source, 1000).add(large, 0))
        .isInstanceOf(GrpcException.class);
  }

  @Test
  void theSourceIsPausedUntilAllThatCameAreTaken() {
    queue.add(messages(250), 0);
    for (int i = 0; i < 250; i++) {
      assertThat(source.isPaused).isEqualTo(i <= 200);
      assertThat(polled(0)).isEqualTo(i);
    }
    assertThat(polled(0)).isEqualTo(-1);
    assertThat(source.isPaused).isFalse();
  }

  // The caller may have written them when the pause began.
  @Test
  void messagesThatCameThroughAPauseAreAsOldAsIt() {
    queue.add(messages(150), 5 * SECOND);
    for (int i = 0; i < 100; i++) {
      assertThat(written(8 * SECOND)).isEqualTo(5 * SECOND);
    }
    for (int i = 0; i < 50; i++) {
      assertThat(written(9 * SECOND)).isEqualTo(5 * SECOND);
    }
    long arrives = Assignment.ARRIVES.toNanos();
    queue.add(messages(1), 9 * SECOND + arrives - 1);
    assertThat(written(10 * SECOND)).isEqualTo(5 * SECOND);
    queue.add(messages(1), 9 * SECOND + arrives);
    assertThat(written(10 * SECOND)).isEqualTo(9 * SECOND + arrives);
  }

  private long written(long now) {
    Optional<Message> next = queue.poll(now);
    return next.orElseThrow().writtenNanos();
  }

  @Test
  void aMessageWhoseEndDoesNotComeIsOverdue() {
    Buffer bytes = messages(2);
    queue.add(bytes.getBuffer(0, 12), 0);
    assertThat(queue.isOverdue(30 * SECOND)).isFalse();
    assertThat(queue.isOverdue(31 * SECOND)).isTrue();
    queue.add(bytes.getBuffer(12, 13), 31 * SECOND);
    assertThat(queue.isOverdue(31 * SECOND)).isTrue();
    queue.add(bytes.getBuffer(13, bytes.length()), 31 * SECOND);
    assertThat(queue.isOverdue(100 * SECOND)).isFalse();
  }
}
