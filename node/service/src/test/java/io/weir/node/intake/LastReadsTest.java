package io.weir.node.intake;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.vertx.core.net.impl.ShutdownEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A connection whose request has arrived and is unread when the node stops. */
final class LastReadsTest {
  private static final ShutdownEvent STOP = new ShutdownEvent(1, TimeUnit.SECONDS);

  private final List<Object> seen = new ArrayList<>();
  private final EmbeddedChannel channel =
      new EmbeddedChannel(new LastReads(), new ChannelInboundHandlerAdapter() {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
          seen.add(message);
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
          seen.add(event);
        }
      });

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
  }

  @Test
  void whatHasArrivedIsReadBeforeTheConnectionEnds() {
    channel.freezeTime();
    channel.pipeline().fireUserEventTriggered(STOP);
    channel.writeInbound("request");
    assertThat(seen).containsExactly("request");
    channel.advanceTimeBy(1, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
    assertThat(seen).containsExactly("request", STOP);
  }

  @Test
  void otherEventsAreNotDelayed() {
    channel.pipeline().fireUserEventTriggered("idle");
    assertThat(seen).containsExactly("idle");
  }
}
