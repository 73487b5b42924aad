package io.weir.state.connection;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A pause of the event loop that is longer than the timeout of a command. */
final class TimedCommandTest {
  private final RedisException timeout = new RedisCommandTimeoutException("too long");
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final AsyncCommand<String, String, String> asked =
      new AsyncCommand<>(new Command<>(CommandType.PING, new StatusOutput<>(StringCodec.ASCII)));
  private final TimedCommand<String> sent = timed(channel.eventLoop());

  private TimedCommand<String> timed(EventLoop loop) {
    return new TimedCommand<>(asked, loop);
  }

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
  }

  private void eventLoopRuns() {
    channel.freezeTime();
    channel.runPendingTasks();
    channel.advanceTimeBy(1, TimeUnit.MILLISECONDS);
    channel.runPendingTasks();
  }

  @Test
  void anAnswerThatHasArrivedIsReadBeforeTheTimeout() {
    sent.completeExceptionally(timeout);
    sent.getOutput().set(ByteBuffer.wrap("PONG".getBytes(US_ASCII)));
    sent.complete();
    eventLoopRuns();
    assertThat(asked).isCompletedWithValue("PONG");
  }

  @Test
  void aCommandWithoutAnAnswerTimesOut() {
    sent.completeExceptionally(timeout);
    assertThat(asked).isNotDone();
    eventLoopRuns();
    assertThatThrownBy(asked::join).hasCause(timeout);
  }

  @Test
  void anyOtherFailureIsReportedAtOnce() {
    RedisException lost = new RedisException("the connection is lost");
    sent.completeExceptionally(lost);
    assertThat(asked).isCompletedExceptionally();
  }

  @Test
  void anEventLoopThatHasEndedReadsNothingMore() {
    EventLoop ended = new DefaultEventLoop();
    ended.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
    timed(ended).completeExceptionally(timeout);
    assertThat(asked).isCompletedExceptionally();
  }
}
