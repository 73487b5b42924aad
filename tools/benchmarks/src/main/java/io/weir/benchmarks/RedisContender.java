package io.weir.benchmarks;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.handler.flush.FlushConsolidationHandler;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;

/** A contender that sends commands over its own Lettuce connection. Mutable; owned by the code that measures it. */
final class RedisContender implements Contender {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final int FLUSHED_TOGETHER = 256;

  private final String name;
  private final ClientResources resources;
  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;
  private final BiFunction<RedisAsyncCommands<String, String>, Integer, CompletionStage<Boolean>>
      question;

  /**
   * Connects.
   *
   * @param isFlushedTogether whether commands sent in one turn of the event loop are written together
   * @param question made from the connection, asks for a subject
   */
  RedisContender(
      String name,
      String uri,
      boolean isFlushedTogether,
      Function<
              StatefulRedisConnection<String, String>,
              BiFunction<RedisAsyncCommands<String, String>, Integer, CompletionStage<Boolean>>>
          question) {
    this.name = isFlushedTogether ? name + ", flushed" : name;
    ClientResources.Builder builder =
        ClientResources.builder().ioThreadPoolSize(2).computationThreadPoolSize(2);
    this.resources =
        (isFlushedTogether ? builder.nettyCustomizer(flushTogether()) : builder).build();
    this.client = RedisClient.create(resources, uri);
    client.setOptions(
        ClientOptions.builder().timeoutOptions(TimeoutOptions.enabled(TIMEOUT)).build());
    this.connection = client.connect();
    this.question = question.apply(connection);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public CompletionStage<Boolean> ask(int subject) {
    return question.apply(connection.async(), subject);
  }

  @Override
  public void close() {
    connection.close();
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    resources.shutdown().awaitUninterruptibly();
  }

  private static NettyCustomizer flushTogether() {
    return new NettyCustomizer() {
      @Override
      public void afterChannelInitialized(Channel channel) {
        channel.pipeline().addFirst(new FlushConsolidationHandler(FLUSHED_TOGETHER, true));
      }
    };
  }
}
