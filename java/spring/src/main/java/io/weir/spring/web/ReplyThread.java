package io.weir.spring.web;

import io.netty.channel.EventLoop;
import java.util.concurrent.Executor;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.util.ClassUtils;
import reactor.core.scheduler.Schedulers;
import reactor.netty.NettyInbound;

/**
 * The thread on which an exchange goes on after its decision. On Reactor Netty that is the event loop of its
 * connection: if a response is completed by another thread, the next request of the connection may come before the
 * server has noted the end of the first, and if that one is answered at once, its answer can be left unsent (seen with
 * 1.3.6). Elsewhere it is a thread for work that never blocks.
 */
final class ReplyThread {
  private static final boolean IS_NETTY =
      ClassUtils.isPresent("reactor.netty.NettyInbound", ReplyThread.class.getClassLoader());

  private static final Executor PARALLEL = task -> Schedulers.parallel().schedule(task);

  private ReplyThread() {}

  static Executor of(ServerHttpRequest request) {
    return IS_NETTY ? Netty.of(request) : PARALLEL;
  }

  /** Needs Reactor Netty. */
  private static final class Netty {
    static Executor of(ServerHttpRequest request) {
      return served(request) instanceof NettyInbound inbound ? loop(inbound) : PARALLEL;
    }

    private static Object served(ServerHttpRequest request) {
      try {
        return ServerHttpRequestDecorator.getNativeRequest(request);
      } catch (IllegalArgumentException | IllegalStateException e) {
        return request; // one of a test, or of a server that tells nothing
      }
    }

    private static EventLoop loop(NettyInbound inbound) {
      EventLoop[] loop = new EventLoop[1];
      inbound.withConnection(connection -> loop[0] = connection.channel().eventLoop());
      return loop[0];
    }
  }
}
