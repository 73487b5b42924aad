package io.weir.node.intake;

import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;
import io.weir.node.intake.OpenConnections.Requests;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Passes the requests of a connection of HTTP/1.1 one after the other, each when the one before is answered, and few in
 * an iteration of the event loop: the requests that a caller sends without waiting for answers do not delay others.
 * While many wait, nothing more is read. Mutable; owned by one connection.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the connection gets the failures
public final class PipelinedRequests extends ChannelDuplexHandler implements Requests {
  /** The requests of a connection that are passed in an iteration. */
  static final int AT_ONCE = 4;
  /** After so many messages that wait, nothing more is read. */
  private static final int MANY = 64;

  private final WorkBudget budget;
  private final Queue<Object> waiting = new ArrayDeque<>();
  private final Channel channel;
  private long begun;
  private boolean isOpen; // a request was passed that has no answer
  private boolean isPassing;
  private boolean isWithinBody;
  private boolean isHeld; // nothing is read
  private boolean isWanted; // whether something would be read otherwise

  private PipelinedRequests(Channel channel, WorkRounds rounds) {
    this.channel = channel;
    this.budget = new WorkBudget(rounds, AT_ONCE);
  }

  /** Watches a connection from its start. */
  public static Requests watch(HttpConnection connection, WorkRounds rounds) {
    ChannelHandlerContext last = ((ConnectionBase) connection).channelHandlerContext();
    PipelinedRequests requests = new PipelinedRequests(last.channel(), rounds);
    last.pipeline().addBefore(last.name(), null, requests);
    FairReads.little(last.channel(), () -> requests.isWithinBody);
    return requests;
  }

  @Override
  public boolean areOpen() {
    ChannelOutboundBuffer unsent = channel.unsafe().outboundBuffer();
    return isOpen || !waiting.isEmpty() || (unsent != null && !unsent.isEmpty());
  }

  @Override
  public long begun() {
    return begun;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (message instanceof HttpObject) {
      isWithinBody = !(message instanceof LastHttpContent);
    }
    if (waiting.isEmpty() && mayPass(message)) {
      pass(context, message);
    } else {
      waiting.add(message);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    context.fireChannelReadComplete();
    budget.renew();
    goOnLater(context);
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    context.write(message, promise);
    if (message instanceof LastHttpContent && !isInterim(message)) {
      isOpen = false;
      if (!isPassing) {
        goOnLater(context);
      }
    }
  }

  private static boolean isInterim(Object message) {
    return message instanceof HttpResponse response
        && response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
  }

  // The server reads on when it has room again.
  @Override
  public void read(ChannelHandlerContext context) {
    if (isHeld) {
      isWanted = true;
      context.channel().config().setAutoRead(false);
    } else {
      context.read();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    drop();
    context.fireChannelInactive();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    drop();
  }

  private void drop() {
    waiting.forEach(ReferenceCountUtil::release);
    waiting.clear();
  }

  private boolean mayPass(Object message) {
    return !(message instanceof HttpRequest) || (!isOpen && !budget.isSpent());
  }

  private void pass(ChannelHandlerContext context, Object message) {
    if (message instanceof HttpRequest) {
      budget.spend();
      begun++;
      isOpen = true;
    }
    isPassing = true;
    try {
      context.fireChannelRead(message);
    } finally {
      isPassing = false;
    }
  }

  private void goOnLater(ChannelHandlerContext context) {
    if (waiting.size() >= MANY && !isHeld) {
      ChannelConfig config = context.channel().config();
      isWanted = config.isAutoRead();
      isHeld = true;
      config.setAutoRead(false);
    }
    if (!waiting.isEmpty() && !isOpen) {
      budget.goOnLater(() -> goOn(context));
    }
  }

  private void goOn(ChannelHandlerContext context) {
    if (waiting.isEmpty()) {
      return; // the connection is closed
    }
    if (isHeld) {
      isHeld = false; // first, as the server may want to read, or not, after what is passed
      context.channel().config().setAutoRead(isWanted);
    }
    while (!waiting.isEmpty() && mayPass(waiting.element())) {
      pass(context, waiting.remove());
    }
    channelReadComplete(context);
  }
}
