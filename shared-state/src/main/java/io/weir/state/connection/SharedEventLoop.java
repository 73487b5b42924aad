package io.weir.state.connection;

import io.lettuce.core.resource.EventLoopGroupProvider;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.util.concurrent.TimeUnit;

/** An event loop that belongs to another owner, and is not ended here. */
record SharedEventLoop(EventLoop eventLoop) implements EventLoopGroupProvider {
  // Lettuce passes the class of the group that it would create, and uses the result only as a
  // group.
  @Override
  @SuppressWarnings("unchecked")
  public <T extends EventLoopGroup> T allocate(Class<T> type) {
    return (T) eventLoop;
  }

  @Override
  public int threadPoolSize() {
    return 1;
  }

  @Override
  public Future<Boolean> release(
      EventExecutorGroup group, long quietPeriod, long timeout, TimeUnit unit) {
    return kept();
  }

  @Override
  public Future<Boolean> shutdown(long quietPeriod, long timeout, TimeUnit unit) {
    return kept();
  }

  private static Future<Boolean> kept() {
    return ImmediateEventExecutor.INSTANCE.newSucceededFuture(true);
  }
}
