package io.weir.node.upstream;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;
import java.util.Set;

/**
 * Skips interim answers of an upstream (RFC 9110, section 15.2): the final answer follows them. The client itself reads
 * {@code 100 Continue}, and {@code 101 Switching Protocols} is final. Mutable; owned by one connection.
 */
final class InterimAnswers extends ChannelInboundHandlerAdapter {
  private static final int FIRST_INTERIM = 100;
  private static final int FIRST_FINAL = 200;
  private static final Set<Integer> NOT_SKIPPED =
      Set.of(HttpResponseStatus.CONTINUE.code(), HttpResponseStatus.SWITCHING_PROTOCOLS.code());

  private boolean isSkipping;

  /** Skips the interim answers of a connection, from its start. */
  static void skip(HttpConnection connection) {
    ChannelHandlerContext last = ((ConnectionBase) connection).channelHandlerContext();
    last.pipeline().addBefore(last.name(), null, new InterimAnswers());
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (message instanceof HttpResponse response) {
      isSkipping = isSkipped(response);
    }
    if (!isSkipping || !isOfAnswer(message)) {
      context.fireChannelRead(message);
      return;
    }
    isSkipping = !(message instanceof LastHttpContent);
    ReferenceCountUtil.release(message);
  }

  private static boolean isOfAnswer(Object message) {
    return message instanceof HttpResponse || message instanceof HttpContent;
  }

  private static boolean isSkipped(HttpResponse response) {
    int status = response.status().code();
    return response.decoderResult().isSuccess()
        && status >= FIRST_INTERIM
        && status < FIRST_FINAL
        && !NOT_SKIPPED.contains(status);
  }
}
