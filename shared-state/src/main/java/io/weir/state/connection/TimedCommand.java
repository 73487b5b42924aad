package io.weir.state.connection;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.channel.EventLoop;
import java.util.concurrent.RejectedExecutionException;

/**
 * A command whose timeout takes effect after its event loop has read what has arrived: a pause of this process is not
 * one of Redis. Safe for use by many threads.
 */
final class TimedCommand<T> extends AsyncCommand<String, String, T> {
  // An event loop reads before it runs a task that became due since it read.
  private static final long READS_MILLIS = 1;

  private final EventLoop loop;

  /** @param command completed with this one */
  TimedCommand(RedisCommand<String, String, T> command, EventLoop loop) {
    super(command);
    this.loop = loop;
  }

  @Override
  public boolean completeExceptionally(Throwable error) {
    if (!(error instanceof RedisCommandTimeoutException)) {
      return super.completeExceptionally(error);
    }
    try {
      // The time begins when the event loop runs again, not while it is paused.
      loop.execute(() -> {
        var unused =
            loop.schedule(() -> super.completeExceptionally(error), READS_MILLIS, MILLISECONDS);
      });
      return false;
    } catch (RejectedExecutionException e) {
      return super.completeExceptionally(error);
    }
  }
}
