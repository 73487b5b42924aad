package io.weir.node.intake;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;
import io.weir.node.answer.ProblemDetails;
import java.util.Set;

/**
 * Answers messages that do not reach the request handler: a body with broken chunks, and an unknown HTTP version.
 * Nothing more is read from the connection. Mutable; owned by one connection.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the connection gets the failures
final class BrokenMessages extends ChannelDuplexHandler {
  private static final Set<HttpVersion> SPOKEN = Set.of(HttpVersion.HTTP_1_1, HttpVersion.HTTP_1_0);

  private boolean isBroken;
  /** Requests that are not answered yet. */
  private int open;

  /** Watches a connection from its start. */
  static void watch(HttpConnection connection) {
    ChannelHandlerContext last = ((ConnectionBase) connection).channelHandlerContext();
    last.pipeline().addBefore(last.name(), null, new BrokenMessages());
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (isBroken) {
      ReferenceCountUtil.release(message);
    } else if (message instanceof HttpContent content
        && !(message instanceof HttpRequest)
        && content.decoderResult().isFailure()) {
      open--; // this one is answered here
      refuse(
          context,
          message,
          HttpResponseStatus.BAD_REQUEST,
          "request_invalid",
          "The body cannot be read");
    } else if (message instanceof HttpRequest request
        && request.decoderResult().isSuccess()
        && !SPOKEN.contains(request.protocolVersion())) {
      refuse(
          context,
          message,
          HttpResponseStatus.HTTP_VERSION_NOT_SUPPORTED,
          "version_not_supported",
          "Only HTTP/1.1 and HTTP/1.0 are spoken");
    } else {
      open += message instanceof HttpRequest ? 1 : 0;
      context.fireChannelRead(message);
    }
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    boolean isInterim = message instanceof HttpResponse response
        && response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
    open -= message instanceof LastHttpContent && !isInterim ? 1 : 0;
    context.write(message, promise);
  }

  private void refuse(
      ChannelHandlerContext context,
      Object message,
      HttpResponseStatus status,
      String code,
      String title) {
    isBroken = true;
    ReferenceCountUtil.release(message);
    if (open > 0) {
      context.close(); // this answer would be taken for one to an earlier request
      return;
    }
    ProblemDetails problem = ProblemDetails.of(status.code(), code, title);
    ByteBuf body = Unpooled.wrappedBuffer(problem.text().getBytes(UTF_8));
    DefaultFullHttpResponse answer =
        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, body);
    answer
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, "application/problem+json")
        .set(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes())
        .set(HttpHeaderNames.CONNECTION, "close");
    // If an answer is being written already, this one cannot be sent, and the connection just ends.
    context.writeAndFlush(answer).addListener(ChannelFutureListener.CLOSE);
  }
}
